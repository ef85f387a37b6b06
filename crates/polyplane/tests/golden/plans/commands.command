# command: polyplane reproduce mp5 --plan nowhere.toml
# command: polyplane reproduce mp5 --only figure-7a,figure-9
# command: polyplane reproduce mp5 --traces docs
# command: polyplane reproduce trimming --traces docs
# command: polyplane reproduce trimming --only figure-10
# command: polyplane reproduce mp6
