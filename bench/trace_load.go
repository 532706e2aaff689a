// trace_load FILE SECONDS - a Go program whose execution trace grows by about ten
// megabytes a second: pairs of goroutines exchange a number.
package main

import (
	"os"
	"runtime/trace"
	"strconv"
	"sync"
	"time"
)

func echo(in, out chan int) {
	for x := range in {
		out <- x
	}
	close(out)
}

func pair(end time.Time) {
	to, from := make(chan int), make(chan int)
	go echo(to, from)
	for n := 0; time.Now().Before(end); n++ {
		to <- n
		<-from
		if n%1000 == 0 {
			var one sync.WaitGroup
			one.Add(1)
			go one.Done()
			one.Wait()
		}
	}
	close(to)
	<-from
}

func main() {
	seconds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(file); err != nil {
		panic(err)
	}
	var all sync.WaitGroup
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	for i := 0; i < 200; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			pair(end)
		}()
	}
	all.Wait()
	trace.Stop()
	if err := file.Close(); err != nil {
		panic(err)
	}
}
