const bit<8> alone = 1;
