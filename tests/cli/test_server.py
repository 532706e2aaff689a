"""test_server: an HTTP server on a free port, with one function per path.

    server = TestServer({"/good": lambda request: request.answer(200, b"...")})

Each request runs in its own thread and may wait, send wrong data or disconnect."""
import http.server
import select
import socket
import socketserver
import struct
import threading


class Request(http.server.BaseHTTPRequestHandler):
    def answer(self, code, body, **headers):
        self.begin(code, Content_Length=str(len(body)), **headers)
        self.wfile.write(body)

    def begin(self, code, **headers):
        """Sends the head of an answer."""
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def wait_for_end(self, seconds=30):
        """Waits until the client has shut down its sending side; False after a timeout."""
        return bool(select.select([self.connection], [], [], seconds)[0] and
                    self.connection.recv(1, socket.MSG_PEEK) == b"")

    def reset(self):
        """Resets the connection, as the kernel does for a killed program."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        self.connection.close()

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers)))
        where = self.path.split("?")[0]
        page = self.server.pages.get(where) or self.server.pages.get("*")
        if page:
            page(self)
        else:
            self.answer(404, b"no such thing\n")

    def log_message(self, *args):
        pass


class TestServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, pages, context=None):
        super().__init__(("127.0.0.1", 0), Request)
        self.pages, self.seen, self.context = pages, [], context
        self.host = f"127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, request, client_address):
        """Does the TLS handshake, if any, in the thread of the request."""
        plain = request.dup()
        try:
            if self.context:
                request = self.context.wrap_socket(request, server_side=True)
            super().finish_request(request, client_address)
        except OSError:
            # Unread input would reset the connection before the client has read the answer.
            plain.shutdown(socket.SHUT_WR)
            while plain.recv(65536):
                pass
        finally:
            plain.close()

    def handle_error(self, request, client_address):
        pass
