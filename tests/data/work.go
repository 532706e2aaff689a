package main

func run(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum = step(sum, i)
	}
	return sum
}
func step(sum, i int) int {
	return add(sum, i)
}

func add(a, b int) int {
	c := a + b
	return c
}

// The program.

func main() {
	println(run(100))
}
