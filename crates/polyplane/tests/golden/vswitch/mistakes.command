# command: polyplane vswitch check --file-only $FOLDER/files/wrong.toml
# command: polyplane vswitch check --file-only $FOLDER/files/not_utf8.toml
# command: polyplane vswitch capture --port nope --write -
