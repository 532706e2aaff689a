// pprof_server: a Go program with net/http/pprof, to compare our endpoint with.
//
//	pprof_server PORT-FILE
//
// Listens on a free port of the loopback interface, which it writes to the
// file, and ends when its standard input does.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime/pprof"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	pprof.NewProfile("my.profile").Add(1, 0)
	port := listener.Addr().(*net.TCPAddr).Port
	if err := os.WriteFile(os.Args[1], []byte(fmt.Sprint(port)), 0o600); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	go http.Serve(listener, nil)
	io.Copy(io.Discard, os.Stdin)
}
