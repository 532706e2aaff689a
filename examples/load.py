#!/usr/bin/env python3
"""load.py PORT: keeps examples/server.c busy until the server ends."""
import random
import socket
import sys
import threading

WORDS = ["apple", "pear", "plum", "cherry", "fig", "grape", "melon"]


def ask(port, number):
    chance = random.Random(number)
    with socket.create_connection(("127.0.0.1", port)) as s:
        with s.makefile("rw", newline="\n") as f:
            while True:
                if number % 4 == 0:
                    f.write("primes 20000\n")
                else:
                    words = chance.choices(WORDS, k=300)
                    words.append(f"w{chance.randrange(200000)}")
                    f.write("count " + " ".join(words) + "\n")
                f.flush()
                if not f.readline():
                    return


def quietly(*args):
    try:
        ask(*args)
    except OSError:
        pass


port = int(sys.argv[1])
clients = [threading.Thread(target=quietly, args=(port, i)) for i in range(8)]
for client in clients:
    client.start()
