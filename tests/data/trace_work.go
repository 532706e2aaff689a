// work - a Go program that does a little of everything, for a small execution
// trace: locks, channels, network, system calls, sleeping, regions, tasks, logs.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"sync"
	"time"
)

var sink [][]byte

func spin(d time.Duration) int {
	n := 0
	for end := time.Now().Add(d); time.Now().Before(end); n++ {
	}
	return n
}

func locker(mu *sync.Mutex, n int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < n; i++ {
		mu.Lock()
		spin(200 * time.Microsecond)
		mu.Unlock()
	}
}

func sender(c chan int, n int) {
	for i := 0; i < n; i++ {
		c <- i
		time.Sleep(100 * time.Microsecond)
	}
	close(c)
}

func receiver(c chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	for range c {
	}
}

func echo(l net.Listener) {
	c, err := l.Accept()
	if err != nil {
		return
	}
	io.Copy(c, c)
	c.Close()
}

func talk(addr string, n int, wg *sync.WaitGroup) {
	defer wg.Done()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	buf := make([]byte, 64)
	for i := 0; i < n; i++ {
		c.Write(buf)
		io.ReadFull(c, buf)
	}
	c.Close()
}

func files(n int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < n; i++ {
		f, err := os.Open("/proc/self/stat")
		if err != nil {
			panic(err)
		}
		io.ReadAll(f)
		f.Close()
	}
}

func work(ctx context.Context, n int, wg *sync.WaitGroup) {
	defer wg.Done()
	ctx, task := trace.NewTask(ctx, "order")
	defer task.End()
	for i := 0; i < n; i++ {
		trace.WithRegion(ctx, "cook", func() { spin(300 * time.Microsecond) })
		trace.Log(ctx, "dish", fmt.Sprint(i))
		sink = append(sink, make([]byte, 1<<16))
	}
}

func main() {
	n := 20
	if len(os.Args) > 2 {
		n, _ = strconv.Atoi(os.Args[2])
	}
	out, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if len(os.Args) > 3 {
		f, _ := os.Create(os.Args[3])
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	if err := trace.Start(out); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	wg.Add(6)
	go locker(&mu, n, &wg)
	go locker(&mu, n, &wg)
	c := make(chan int)
	go sender(c, n)
	go receiver(c, &wg)
	go echo(l)
	go talk(l.Addr().String(), n, &wg)
	go files(n, &wg)
	go work(context.Background(), n, &wg)
	wg.Wait()
	trace.Stop()
	out.Close()
}
