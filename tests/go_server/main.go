// go_server: a real net/http/pprof server for tests/cli/go.
//
// It works in functions with known names, holds memory, waits for a mutex and
// for a channel, so that no profile is empty. When all of that has happened it
// prints the address that it listens on; it ends when its standard input does.
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
	"time"
)

const rounds = 3 // before the server is ready

var (
	kept  [][]byte
	lock  sync.Mutex
	ready sync.WaitGroup
	sink  uint64
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
	time.Sleep(2 * time.Millisecond)
	lock.Unlock()
}

//go:noinline
func sendToChannel(c chan int, i int) {
	c <- i
}

// repeat calls f for ever, the first rounds of it before the server is ready.
func repeat(f func(i int)) {
	ready.Add(rounds)
	go func() {
		for i := 0; ; i++ {
			f(i)
			if i < rounds {
				ready.Done()
			}
		}
	}()
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	for i := 0; i < 64; i++ {
		keepMemory(1 << 20)
	}
	pass := make(chan int)
	repeat(func(int) { holdLock() })
	repeat(func(int) { holdLock() })
	repeat(func(i int) { sendToChannel(pass, i) })
	repeat(func(int) {
		burnCPU(5000000)
		time.Sleep(5 * time.Millisecond)
		<-pass
	})
	ready.Wait()
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
