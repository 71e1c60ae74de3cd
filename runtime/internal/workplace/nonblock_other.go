//go:build !unix

package workplace

const nonBlock = 0 // pipes have no place among files there
