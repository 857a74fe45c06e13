# shellcheck shell=sh
# A terminal for tests of what people see, in a tmux server of the test's own. Sourced; $scratch is the test's folder.
#
# A wait is for what must appear, never for a span of time, and what it is for must not be on the screen from before, or the next key
# comes too early. It lasts two minutes at least; once one was in vain the others are short, so that a test that has failed ends before the
# limit of run-test.sh and says what it saw.

terminals=0
socket=
tries=1200

# tmux, with nothing of the surroundings that decides what is seen: neither the user's shell nor size, colours or editors.
mux() {
	env -u TMUX -u LINES -u COLUMNS -u NO_COLOR -u VISUAL -u EDITOR -u ENV SHELL=/bin/sh LC_ALL=C.UTF-8 tmux -S "$socket" -f /dev/null "$@"
}

terminal_close() {
	[ -z "$socket" ] || mux kill-server 2>/dev/null
	[ -z "${short:-}" ] || rm -rf "$short"
	socket=
}

# terminal_open COLUMNS ROWS COMMAND: closes the one before. No socket is used again: the server before may be about to end.
terminal_open() {
	terminal_close
	terminals=$((terminals + 1))
	socket=$scratch/terminal$terminals
	short=
	# The address of a socket has 107 bytes at most.
	if [ ${#socket} -gt 100 ]; then
		short=$(mktemp -d /tmp/bw-terminal-XXXXXX) && socket=$short/terminal || return 1
	fi
	mux new-session -d -x "$1" -y "$2" "$3" \; set -g status off
}

screen() {
	mux capture-pane -p
}

# Whether the screen has a line that matches, now.
shows() {
	screen 2>/dev/null | grep -q -- "$1"
}

lacks() {
	screen >"$scratch/screen" 2>/dev/null && ! grep -q -- "$1" "$scratch/screen"
}

# wait_until COMMAND...: until the command succeeds; where it never does, what is seen then, and false.
wait_until() {
	tried=0
	until "$@"; do
		tried=$((tried + 1))
		if [ $tried -gt "$tries" ]; then
			tries=50
			echo "# waited in vain: $*"
			[ -z "$socket" ] || screen 2>&1 | grep . | sed 's/^/# /'
			return 1
		fi
		sleep 0.1
	done
}

wait_for() {
	wait_until shows "$1"
}

wait_gone() {
	wait_until lacks "$1"
}

keys() {
	mux send-keys "$@"
}

text() {
	mux send-keys -l "$1"
}

type_line() {
	text "$1"
	keys Enter
}
