// go_server: a real net/http/pprof server for tests/cli/go.
//
// It works in functions with known names, holds memory, contends for a mutex
// and blocks on a channel, so that no profile is empty. It prints the address
// that it listens on and ends when its standard input does.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"sync"
)

var (
	kept [][]byte
	lock sync.Mutex
	sink uint64
)

//go:noinline
func burnCPU(n uint64) uint64 {
	for i := uint64(0); i < n; i++ {
		sink = sink*31 + i
	}
	return sink
}

//go:noinline
func keepMemory(n int) {
	kept = append(kept, make([]byte, n))
}

//go:noinline
func holdLock() {
	lock.Lock()
	burnCPU(200000)
	lock.Unlock()
}

//go:noinline
func waitForChannel(c chan int) {
	<-c
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	for i := 0; i < 64; i++ {
		keepMemory(1 << 20)
	}
	for i := 0; i < 2; i++ {
		go func() {
			for {
				holdLock()
			}
		}()
	}
	pass := make(chan int)
	go func() {
		for i := 0; ; i++ {
			pass <- i
		}
	}()
	go func() {
		for {
			waitForChannel(pass)
			burnCPU(100000)
		}
	}()
	http.HandleFunc("/grow", func(w http.ResponseWriter, r *http.Request) {
		keepMemory(32 << 20)
		fmt.Fprintln(w, "grown")
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go http.Serve(listener, nil)
	fmt.Println(listener.Addr())
	io.Copy(io.Discard, os.Stdin)
}
