package console

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// ClientCache is a cache of clients for a program that calls the same consoles repeatedly: it keeps
// their connections, and their status file until that changes on disk. Its methods may be
// called from several goroutines.
type ClientCache struct {
	getenv func(string) string

	mu   sync.Mutex
	kept map[string]keptClient // by the console's name
}

// keptClient is a client and the status file from which it was created.
type keptClient struct {
	*Client
	file fs.FileInfo
}

// NewClientCache returns an empty cache.
func NewClientCache(getenv func(string) string) *ClientCache {
	return &ClientCache{getenv: getenv, kept: map[string]keptClient{}}
}

// Open returns the client of a console, like the function [Open].
func (k *ClientCache) Open(name string) (*Client, error) {
	if c := k.known(name); c != nil {
		return c, nil
	}
	return k.keep(name)
}

// Find returns the client of a console by its name or a unique prefix, like the function [Find].
func (k *ClientCache) Find(name string) (*Client, error) {
	if c := k.known(name); c != nil { // a full name takes precedence over a prefix
		return c, nil
	}
	c, err := Find(k.getenv, name)
	if err != nil {
		return nil, err
	}
	return k.keep(c.Name)
}

// Status returns the status of a console, and false if it cannot be found.
func (k *ClientCache) Status(ctx context.Context, name string) (Status, bool) {
	c, err := k.Open(name)
	if err != nil {
		return Status{}, false
	}
	return look(ctx, c)
}

// Close closes all idle connections. The consoles keep running.
func (k *ClientCache) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.kept {
		k.drop(name)
	}
}

// known returns the cached client of a console, or nil if there is none or the console has been
// replaced since.
func (k *ClientCache) known(name string) *Client {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.kept[name]
	if !ok {
		return nil
	}
	now, err := os.Stat(filepath.Join(c.files.Record, statusName))
	if err == nil && os.SameFile(now, c.file) && now.ModTime().Equal(c.file.ModTime()) {
		return c.Client
	}
	k.drop(name)
	return nil
}

func (k *ClientCache) keep(name string) (*Client, error) {
	c, file, err := recordedClient(k.getenv, name)
	if err != nil {
		return nil, err
	}
	c.kept = true
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(name)
	k.kept[name] = keptClient{c, file}
	return c, nil
}

// drop removes a client from the cache. Connections in use are closed later, by the idle timeout.
func (k *ClientCache) drop(name string) {
	if c, ok := k.kept[name]; ok {
		c.http.CloseIdleConnections()
		delete(k.kept, name)
	}
}
