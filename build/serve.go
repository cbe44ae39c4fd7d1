package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"rebalancelab/build/site"
)

// serve builds the site in memory and serves it until interrupted. It leaves out compression: to a
// browser on the same machine it would only cost time.
func serve(ctx context.Context, root string, args []string) error {
	set := flags("serve")
	addr := set.String("addr", "localhost:8000", "address to serve at")
	if err := set.Parse(args); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return fmt.Errorf("%w\nchoose another address: go run ./build --addr localhost:8001", err)
	}
	url := "http://" + address(*addr, listener)
	fmt.Printf("Rebalance Lab: building for %s (the first time takes a minute or two)\n", url)
	start := time.Now()
	built, err := site.Build(ctx, siteOptions(root))
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	took := time.Since(start).Seconds()
	fmt.Printf("Rebalance Lab: %s is ready (built in %.1fs; Ctrl+C ends it)\n", url, took)
	return serveUntilDone(ctx, listener, site.Handler(built.Files.Source, "/"))
}

// address keeps the host as it was asked for ("localhost" rather than 127.0.0.1: a page's storage
// belongs to the name) with the port that is really listened on.
func address(asked string, listener net.Listener) string {
	host, _, _ := net.SplitHostPort(asked)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if host == "" {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

func serveUntilDone(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
