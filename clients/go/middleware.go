package tollgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// MiddlewareOptions are the options of Client.Middleware. Bucket is required.
type MiddlewareOptions struct {
	// Bucket is the key bucket of the callers.
	Bucket string
	// Consume returns what a request takes from the plan of its consumer; nil takes nothing.
	Consume func(*http.Request) *Consumption
	// Permission returns the permission that the key must have, or "".
	Permission func(*http.Request) string
	// IP returns the address of the client, for keys with allowedIps; by default that of the connection.
	IP func(*http.Request) string
	// Header is the header of the key; "Authorization" by default.
	Header string
	// Scheme is the scheme before the key; by default "Bearer" in Authorization, and none in other headers.
	Scheme string
	// Observe lets requests pass that a permission, a rate limit or a quota would reject: see Access.Observed. Nothing of
	// it reaches the response.
	Observe bool
	// AllowUnavailable lets requests pass without a caller while the server cannot be reached; otherwise they get 503.
	AllowUnavailable bool
	// Timeout is how long to wait for the server; 2 seconds by default.
	Timeout time.Duration
	// OnError handles what is wrong with the configuration, such as a wrong token; by default it answers 500.
	OnError func(http.ResponseWriter, *http.Request, error)
}

type contextKey struct{}

// FromContext returns the caller of a request that passed the middleware. It is nil if the server was unavailable and
// AllowUnavailable is set.
func FromContext(ctx context.Context) *Access {
	access, _ := ctx.Value(contextKey{}).(*Access)
	return access
}

// Middleware returns middleware that rejects requests without a valid key, as the gateway does.
func (c *Client) Middleware(options MiddlewareOptions) func(http.Handler) http.Handler {
	if options.Header == "" {
		options.Header = "Authorization"
	}
	isAuthorization := strings.EqualFold(options.Header, "authorization")
	if options.Scheme == "" && isAuthorization {
		options.Scheme = "Bearer"
	}
	if options.Timeout == 0 {
		options.Timeout = 2 * time.Second
	}
	if options.IP == nil {
		options.IP = addressOf
	}
	if options.OnError == nil {
		options.OnError = func(w http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		}
	}
	guard := &guard{MiddlewareOptions: options, client: c.forMiddleware(options.Timeout)}
	scheme := options.Scheme
	if scheme == "" {
		scheme = "ApiKey"
	}
	guard.challenge = fmt.Sprintf("%s realm=%q", scheme, options.Bucket)
	if !isAuthorization {
		guard.challenge += fmt.Sprintf(", header=%q", strings.ToLower(options.Header))
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if access, ok := guard.decide(w, r); ok {
				next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, access)))
			}
		})
	}
}

// forMiddleware returns a client that shares the connections. A retry would keep the caller waiting.
func (c *Client) forMiddleware(timeout time.Duration) *Client {
	return &Client{
		url: c.url, token: c.token, userAgent: c.userAgent, http: c.http, timeout: timeout, retries: 0,
		account: c.givenAccount(), sleep: c.sleep, random: c.random,
	}
}

type guard struct {
	MiddlewareOptions
	client    *Client
	challenge string
}

// decide reports whether the request may pass. Otherwise it has written the response.
func (g *guard) decide(w http.ResponseWriter, r *http.Request) (*Access, bool) {
	key := g.keyOf(r)
	if key == "" {
		w.Header().Set("WWW-Authenticate", g.challenge)
		reject(w, r, "key_missing")
		return nil, false
	}
	usage := &KeyUsage{IP: g.IP(r), Observe: g.Observe}
	if g.Permission != nil {
		usage.Permission = g.Permission(r)
	}
	if g.Consume != nil {
		usage.Consume = g.Consume(r)
	}
	verification, err := g.client.VerifyKey(r.Context(), g.Bucket, key, usage)
	if err != nil {
		return nil, g.failed(w, r, err)
	}
	if limit := verification.RateLimit; limit != nil && !(g.Observe && verification.Valid) {
		w.Header().Set("RateLimit-Limit", strconv.Itoa(limit.Limit))
		w.Header().Set("RateLimit-Remaining", strconv.Itoa(limit.Remaining))
		w.Header().Set("RateLimit-Reset", strconv.Itoa(limit.ResetSeconds))
	}
	if verification.Valid {
		return &verification.Access, true
	}
	problem, ok := problemOf[verification.Code]
	if !ok {
		problem = "key_invalid"
	}
	if problem == "key_invalid" || problem == "key_expired" || problem == "key_disabled" {
		w.Header().Set("WWW-Authenticate", g.challenge+`, error="invalid_token"`)
	}
	if seconds := verification.RetryAfterSeconds; seconds != nil {
		w.Header().Set("Retry-After", strconv.Itoa(*seconds))
	}
	reject(w, r, problem)
	return nil, false
}

// keyOf returns the key of a request. A header with another scheme contains none.
func (g *guard) keyOf(r *http.Request) string {
	value := r.Header.Get(g.Header)
	if g.Scheme != "" {
		scheme, rest, ok := strings.Cut(value, " ")
		if !ok || !strings.EqualFold(scheme, g.Scheme) {
			return ""
		}
		value = rest
	}
	return strings.TrimSpace(value)
}

// failed reports whether the request may pass although the server did not decide.
func (g *guard) failed(w http.ResponseWriter, r *http.Request, err error) bool {
	var failure *Error
	switch {
	case r.Context().Err() != nil:
		return false // The client has left.
	case !errors.As(err, &failure) || !isUnavailable(failure):
		g.OnError(w, r, fmt.Errorf("the middleware cannot verify keys: %w", err))
		return false
	case g.AllowUnavailable:
		return true
	}
	w.Header().Set("Retry-After", "1")
	reject(w, r, "verification_unavailable")
	return false
}

// isUnavailable reports whether the server did not decide. Other errors, such as a wrong token, are the configuration's.
func isUnavailable(err *Error) bool {
	if err.Status == 0 {
		return err.Code == CodeNetwork || err.Code == CodeTimeout
	}
	return err.Status == http.StatusTooManyRequests || err.Status >= 500
}

var plainID = regexp.MustCompile(`^[\x21-\x7e]{1,128}$`)

func reject(w http.ResponseWriter, r *http.Request, code string) {
	problem := problems[code]
	requestID := r.Header.Get("X-Request-Id")
	if !plainID.MatchString(requestID) {
		requestID = newKey()
	}
	body, _ := json.Marshal(map[string]any{
		"type":     fmt.Sprintf("https://httpproblems.com/http-status/%d", problem.status),
		"title":    http.StatusText(problem.status),
		"status":   problem.status,
		"detail":   problem.detail,
		"instance": r.URL.EscapedPath(),
		"code":     code,
		"trace": map[string]string{
			"requestId": requestID,
			"timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		},
	})
	header := w.Header()
	header.Set("Content-Type", "application/problem+json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Request-Id", requestID)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(problem.status)
	_, _ = w.Write(body)
}

func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	address, _, _ := strings.Cut(host, "%")
	return address
}
