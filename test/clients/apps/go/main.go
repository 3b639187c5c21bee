// Applications of net/http, each with options of its own, or without middleware. Prints their ports, and serves until stdin ends.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	tollgate "example.com/tollgate/clients/go"
)

type options struct {
	URL, Token, Account, Bucket, Header string
	OnUnavailable                       string `json:"on_unavailable"`
	Timeout                             float64
	Consume                             *tollgate.Consumption
	Observe                             bool
}

func main() {
	var sockets map[string]*options
	check(json.Unmarshal([]byte(os.Getenv("MIDDLEWARE_OPTIONS")), &sockets))
	for name, given := range sockets {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		check(err)
		fmt.Printf("{\"socket\":%q,\"port\":%d}\n", name, listener.Addr().(*net.TCPAddr).Port)
		if given == nil {
			go http.Serve(listener, http.HandlerFunc(forecast))
			continue
		}
		client, err := tollgate.New(given.URL, given.Token, tollgate.WithAccount(given.Account))
		check(err)
		consume := given.Consume
		guard := client.Middleware(tollgate.MiddlewareOptions{
			Bucket:           given.Bucket,
			Header:           given.Header,
			Timeout:          time.Duration(given.Timeout * float64(time.Second)),
			Observe:          given.Observe,
			AllowUnavailable: given.OnUnavailable == "allow",
			Consume:          func(*http.Request) *tollgate.Consumption { return consume },
			Permission: func(r *http.Request) string {
				if r.URL.Path == "/orders" {
					return "orders:read"
				}
				return ""
			},
		})
		go http.Serve(listener, guard(http.HandlerFunc(forecast)))
	}
	_, _ = io.ReadAll(os.Stdin)
}

func forecast(w http.ResponseWriter, r *http.Request) {
	check(json.NewEncoder(w).Encode(map[string]any{"access": tollgate.FromContext(r.Context())}))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
