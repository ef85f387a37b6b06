# Checkouts of public collections, for the scripts of conformance; sourced by them. A checkout is a folder, or a git
# directory without a work tree: then what is needed of its HEAD is put into target/conformance/.

# The commit of a checkout or git directory; nothing if it is neither.
commit_of() {
    git -C "$1" rev-parse HEAD 2>/dev/null || git --git-dir="$1" rev-parse HEAD 2>/dev/null || true
}

# A folder with what is needed of a checkout: itself, or folders that are taken out of a git directory, each by itself,
# for the rest of the repository need not be there. Arguments: the folder, a name, the folders (`.` for the whole), `--`
# and patterns of files in them.
files_of() {
    local folder=$1 name=$2
    shift 2
    local wanted=() commit target
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        wanted+=("$1")
        shift
    done
    if [ -e "$folder/${wanted[0]}" ] && [ ! -e "$folder/HEAD" ]; then
        echo "$folder"
        return
    fi
    commit=$(git --git-dir="$folder" rev-parse HEAD 2>/dev/null) || {
        echo "$folder has no ${wanted[0]} and is no git directory" >&2
        return 2
    }
    target=target/conformance/$name-$commit
    if [ ! -e "$target/.complete" ]; then
        rm -rf "$target"
        mkdir -p "$target"
        local part
        for part in "${wanted[@]}"; do
            if [ "$part" = . ]; then
                git --git-dir="$folder" archive "$commit" "$@" | tar -x -C "$target"
            else
                git --git-dir="$folder" archive --prefix="$part/" "$commit:$part" "$@" | tar -x -C "$target"
            fi
        done
        touch "$target/.complete"
    fi
    echo "$target"
}
