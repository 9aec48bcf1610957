"""In place of Python for the jobs of a run: has a script run by a fork of `starter`.

Run as `python -IS forked_job.py SOCKET SCRIPT`, without the cost of importing `site`.
"""

import json
import os
import socket
import sys


def main(path: str, script: str) -> int:
    """Run the script with the folder, the environment and the standard streams of this process."""
    with socket.socket(socket.AF_UNIX) as starter:
        starter.connect(path)
        socket.send_fds(starter, [b"\0"], [0, 1, 2])
        request = json.dumps([script, os.getcwd(), dict(os.environ)])
        starter.sendall(f"{request}\n".encode())
        return int(starter.recv(8))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
