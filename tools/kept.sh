# Sourced by tools/agents, tools/interpreters and tools/xterm, which install into $TEST_PROGRAMS (ripple-tests in the user's
# cache directory), outside of the clone, so that other clones only create links to it. It can be removed at any time.
# Directories that were not used by an installation for 180 days are removed.
: "${TEST_PROGRAMS:=${XDG_CACHE_HOME:-${HOME:-$PWD}/.cache}/ripple-tests}"

# kept NAME KEY COMMAND… sets $folder to the directory of NAME, a package with its version, and KEY. If there is none, it
# calls COMMAND… DIRECTORY to fill a new one. It returns the exit code of COMMAND.
#
# The source of the function COMMAND, the kind of machine and the C library are part of the key. KEY must have everything
# else that affects the result: versions, and the functions that COMMAND calls. Other changes of a script do not cause a new
# installation.
#
# A directory is used only through a link, which is created when it is complete, so an interrupted installation is never
# used. Nothing is moved, because virtual environments contain their own path. If two clones install the same package at
# the same time, both use the directory that is complete first.
kept() {
	local name new hash
	mkdir -p "$TEST_PROGRAMS" && TEST_PROGRAMS=$(cd "$TEST_PROGRAMS" && pwd) || {
		echo "${0##*/}: programs cannot be kept in $TEST_PROGRAMS; to keep them elsewhere, set TEST_PROGRAMS" >&2
		return 1
	}
	name=$1-$(printf '%s\n' "$1" "$2" "$(declare -f "$3")" "$(uname -sm)" "$(libc)" | git hash-object --stdin | cut -c 1-12)
	name=$TEST_PROGRAMS/${name//\//+}
	if [ ! -e "$name/" ]; then
		[ ! -L "$name" ] || [ -e "$name/" ] || rm -f "$name" # its directory was removed
		new=$(mktemp -d "$name.XXXXXX") && chmod 755 "$new" || return
		if ! "${@:3}" "$new"; then
			rm -rf "$new"
			return 1
		fi
		ln -sn "${new##*/}" "$name" 2>/dev/null || rm -rf "$new"
		hash=$(printf '[0-9a-f]%.0s' {1..12})
		# Only names as created above: users may have other directories there.
		find "$TEST_PROGRAMS" -mindepth 1 -maxdepth 1 -type d -mtime +180 -name "*-$hash.??????" -exec rm -rf {} +
	fi
	# shellcheck disable=SC2034 # the caller uses it
	folder=$(cd "$name" && pwd -P) && touch "$folder"
}

# libc prints the name and version of the C library that programs are compiled for, or nothing if no command reports it.
libc() {
	getconf GNU_LIBC_VERSION 2>/dev/null || if command -v ldd >/dev/null; then ldd --version 2>&1 | head -n 2; fi
}

# linked TARGET LINK creates a link, or changes it.
linked() {
	mkdir -p "${2%/*}"
	ln -sfn "$1" "$2"
}
