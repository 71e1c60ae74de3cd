# Sourced by tools/agents, tools/interpreters and tools/xterm. What they install is kept outside of the clone, in
# $TEST_PROGRAMS (ripple-tests in the user's cache), so that another clone only links it. It can be removed at any time.
# Directories that no installation has linked for 180 days are removed.
: "${TEST_PROGRAMS:=${XDG_CACHE_HOME:-${HOME:-$PWD}/.cache}/ripple-tests}"

# kept NAME KEY COMMAND… sets $folder to a directory for NAME, a package with its version. If there is none yet for KEY,
# COMMAND… DIRECTORY fills a new one. Its result is the result of COMMAND.
#
# The result may depend on the text of the function COMMAND, the kind of machine and its libc: these are part of the key. KEY
# has everything else: versions, and the functions that COMMAND calls. Any other change of a script installs nothing again.
#
# A directory is used only through its link, which is made when it is complete: an installation that was interrupted has
# none. Nothing is moved, because virtual environments contain their own path. Of two clones that install the same at the
# same time, the slower one takes what the faster one made.
kept() {
	local name new hash
	mkdir -p "$TEST_PROGRAMS" && TEST_PROGRAMS=$(cd "$TEST_PROGRAMS" && pwd) || {
		echo "${0##*/}: programs cannot be kept in $TEST_PROGRAMS; to keep them elsewhere, set TEST_PROGRAMS" >&2
		return 1
	}
	name=$1-$(printf '%s\n' "$1" "$2" "$(declare -f "$3")" "$(uname -sm)" "$(libc)" | git hash-object --stdin | cut -c 1-12)
	name=$TEST_PROGRAMS/${name//\//+}
	if [ ! -e "$name/" ]; then
		[ ! -L "$name" ] || [ -e "$name/" ] || rm -f "$name" # of a directory that was removed
		new=$(mktemp -d "$name.XXXXXX") && chmod 755 "$new" || return
		if ! "${@:3}" "$new"; then
			rm -rf "$new"
			return 1
		fi
		ln -sn "${new##*/}" "$name" 2>/dev/null || rm -rf "$new"
		hash=$(printf '[0-9a-f]%.0s' {1..12})
		# Only names that are made above: people may keep other directories there.
		find "$TEST_PROGRAMS" -mindepth 1 -maxdepth 1 -type d -mtime +180 -name "*-$hash.??????" -exec rm -rf {} +
	fi
	# shellcheck disable=SC2034 # for the caller
	folder=$(cd "$name" && pwd -P) && touch "$folder"
}

# libc prints the name and the version of the C library, for which programs are compiled. A system may have neither command.
libc() {
	getconf GNU_LIBC_VERSION 2>/dev/null || if command -v ldd >/dev/null; then ldd --version 2>&1 | head -n 2; fi
}

# own DIRECTORY: one of this clone. Earlier, it could be a link into another clone, which must not change.
own() {
	[ ! -L "$1" ] || rm "$1"
	mkdir -p "$1"
}

# linked TARGET LINK, in place of a directory, too: earlier, everything was installed in the clone.
linked() {
	if [ ! -L "$2" ]; then rm -rf "$2"; fi
	mkdir -p "${2%/*}"
	ln -sfn "$1" "$2"
}
