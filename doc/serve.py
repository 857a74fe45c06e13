#!/usr/bin/env python3
"""Freezes what a file says, and exports the schedule that the search then finds, by `beamwalk serve` (beamwalk-serve(5)).

    serve.py PIPELINE FILE OUTPUT.h [OPTION...]

Each line of FILE is what the command `freeze` takes, as in `Ix inline`; # begins a comment. OPTIONs are those of `beamwalk serve`.
BEAMWALK names the program (default: beamwalk)."""
import itertools
import json
import os
import subprocess
import sys


class Refused(Exception):
    """An error that the server answered: its message, and its code."""


class Beamwalk:
    """A session in a process of its own: `beamwalk.call("freeze", "Ix", "inline")`."""

    def __init__(self, pipeline, *options, told=lambda kind, state: None):
        command = [os.environ.get("BEAMWALK", "beamwalk"), "serve", pipeline, *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self.ids, self.told = itertools.count(1), told

    def call(self, method, *params, **keyed):
        """Returns the result of a method; tells meanwhile how far the search is."""
        request = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": keyed or params}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" in message:
                self.told(message["method"], message["params"])
            elif "error" in message:
                raise Refused(message["error"]["message"], message["error"]["code"])
            else:
                return message["result"]
        raise EOFError("beamwalk ended with status %d" % self.process.wait())


def progress(kind, state):
    if kind == "progress":
        print("decision %(position)d of %(decisions)d, best %(best).4g %(unit)s" % state, file=sys.stderr)


def main(pipeline, wanted, output, *options):
    beamwalk = Beamwalk(pipeline, *options, told=progress)
    beamwalk.call("initialize", protocol=1)
    with open(wanted, encoding="utf-8") as lines:
        for line in (line.split("#")[0].strip() for line in lines):
            if line:
                print("frozen:", line, beamwalk.call("freeze", line)["message"])
    beamwalk.call("run", "end")
    print(beamwalk.call("export", output)["message"])
    print("cost:", beamwalk.call("figure", "cost")["text"])
    beamwalk.call("quit")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (Refused, EOFError, OSError) as error:
        sys.exit("serve.py: %s" % error.args[0])
