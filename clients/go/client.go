// Package tollgate is the client of a Tollgate server: it verifies API keys, counts usage and calls every operation of
// the API. Client.Middleware guards handlers of net/http.
package tollgate

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Client is a client of a Tollgate server. Its methods may be called concurrently. It keeps connections alive and need
// not be closed.
type Client struct {
	url       string
	token     string
	userAgent string
	http      *http.Client
	timeout   time.Duration
	retries   int

	accountLock sync.Mutex
	account     string

	// Replaced by tests.
	sleep  func(ctx context.Context, pause time.Duration) error
	random func() float64
}

// An Option changes a client that New makes.
type Option func(*Client)

// WithAccount names the account, which the operator's token needs.
func WithAccount(name string) Option { return func(c *Client) { c.account = name } }

// WithTimeout sets the timeout of each attempt; 30 seconds by default.
func WithTimeout(timeout time.Duration) Option { return func(c *Client) { c.timeout = timeout } }

// WithRetries sets the number of retries after 429, 503, a timeout or a lost connection; 3 by default. What cannot be
// repeated safely is not.
func WithRetries(retries int) Option { return func(c *Client) { c.retries = retries } }

// WithUserAgent identifies the program in the server's log.
func WithUserAgent(userAgent string) Option { return func(c *Client) { c.userAgent = userAgent } }

// WithHTTPClient sets the HTTP client, such as one with certificates of its own. Redirects are not followed.
func WithHTTPClient(client *http.Client) Option {
	return func(c *Client) {
		own := *client
		c.http = &own
	}
}

// New returns a client of the server at an http or https URL.
func New(serverURL, token string, options ...Option) (*Client, error) {
	parsed, err := url.Parse(serverURL)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" {
		return nil, invalidParameter("url must begin with http:// or https://, such as http://127.0.0.1:8787, not %q", serverURL)
	}
	client := &Client{
		url:       strings.TrimRight(parsed.Scheme+"://"+parsed.Host+parsed.EscapedPath(), "/"),
		token:     strings.TrimSpace(token),
		userAgent: "tollgate-go/" + version,
		timeout:   30 * time.Second,
		retries:   3,
		sleep:     sleep,
		random:    mathrand.Float64,
	}
	for _, option := range options {
		option(client)
	}
	if client.http == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 100
		client.http = &http.Client{Transport: transport}
	}
	// A POST would become a GET, and the token would be sent to another server.
	client.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client, nil
}

// Consumption is what a request takes from the plan of a consumer: all amounts, or none.
type Consumption struct {
	// BucketID is the metering bucket, by its id or its name.
	BucketID string             `json:"bucketId"`
	Meters   map[string]float64 `json:"meters"`
}

// Hold is held until it is settled or released, for usage that is known later.
type Hold struct {
	Consumption
	// ExpiresInSeconds is when the hold ends by itself.
	ExpiresInSeconds int `json:"expiresInSeconds,omitempty"`
	// OnExpiry is "release" or "count".
	OnExpiry string `json:"onExpiry,omitempty"`
}

// KeyUsage is the use of a key that is to be verified.
type KeyUsage struct {
	// IP is the address of the client, required for keys with allowedIps.
	IP string `json:"ip,omitempty"`
	// Permission is one that the key must have.
	Permission string `json:"permission,omitempty"`
	// Consume takes amounts. A lost response is not repeated without an IdempotencyKey.
	Consume *Consumption `json:"consume,omitempty"`
	// Hold holds amounts. It replaces Consume.
	Hold *Hold `json:"hold,omitempty"`
	// Observe reports a missing permission, a used up rate limit and a quota that does not suffice, instead of rejecting.
	Observe bool `json:"observe,omitempty"`
	// IdempotencyKey makes the repetition of Consume safe, also across restarts of the program.
	IdempotencyKey string `json:"-"`
}

// Consumer is the owner of a key.
type Consumer struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// MeterUsage is the usage of a meter in a period.
type MeterUsage struct {
	Label string  `json:"label,omitempty"`
	Used  float64 `json:"used"`
	Max   float64 `json:"max"`
	// Available is never below 0; Used may exceed Max.
	Available float64 `json:"available"`
	// Credits is what grants of the customer allow beyond Max.
	Credits float64 `json:"credits,omitempty"`
}

// RateLimit is the state of a key's limit.
type RateLimit struct {
	Limit        int `json:"limit"`
	Remaining    int `json:"remaining"`
	ResetSeconds int `json:"resetSeconds"`
}

// Access is the caller of a request: a valid key and its consumer.
type Access struct {
	KeyID    string   `json:"keyId"`
	Consumer Consumer `json:"consumer"`
	User     struct {
		// Sub is the name of the consumer.
		Sub string `json:"sub"`
		// Data is the metadata of the consumer.
		Data map[string]any `json:"data"`
	} `json:"user"`
	// ExpiresOn is nil for keys that do not expire.
	ExpiresOn   *time.Time `json:"expiresOn"`
	Permissions []string   `json:"permissions,omitempty"`
	// Meters and RateLimit are set with Consume or Hold.
	Meters    map[string]MeterUsage `json:"meters,omitempty"`
	PeriodEnd *time.Time            `json:"periodEnd,omitempty"`
	RateLimit *RateLimit            `json:"rateLimit,omitempty"`
	// HoldID is what to settle or release the hold with.
	HoldID string `json:"holdId,omitempty"`
	// Observed is why the key would have been rejected without Observe; nil if it would not.
	Observed *Observed `json:"observed,omitempty"`
}

// Observed is a rejection that was only reported.
type Observed struct {
	Code              string `json:"code"`
	RetryAfterSeconds *int   `json:"retryAfterSeconds,omitempty"`
}

// Verification says whether a key is valid. The consumer of a valid key whose plan allows no more is set too.
type Verification struct {
	Access
	Valid bool `json:"valid"`
	// Code is why the key is not valid, or may not be used for this.
	Code              string `json:"code,omitempty"`
	RetryAfterSeconds *int   `json:"retryAfterSeconds,omitempty"`
}

// VerifyKey verifies a key of a key bucket. The usage may be nil.
func (c *Client) VerifyKey(ctx context.Context, bucket, key string, usage *KeyUsage) (*Verification, error) {
	body := struct {
		Key string `json:"key"`
		KeyUsage
	}{Key: key}
	if usage != nil {
		body.KeyUsage = *usage
	}
	idempotencyKey := body.IdempotencyKey
	switch {
	case body.Hold != nil && idempotencyKey == "":
		idempotencyKey = newKey()
	case body.Hold == nil && body.Consume == nil:
		idempotencyKey = ""
	}
	verification := new(Verification)
	err := c.send(ctx, request{
		operation: "verifyKey",
		Call:      Call{Path: map[string]string{"bucketName": bucket}, Body: body, IdempotencyKey: idempotencyKey},
		// Without a key the server takes from memory, which is faster than a transaction.
		isRepeatable: body.Consume == nil || idempotencyKey != "",
		retries:      c.retries,
	}, verification)
	if err != nil {
		return nil, err
	}
	return verification, nil
}

// SettledHold is the usage after a hold was settled.
type SettledHold struct {
	HoldID    string                `json:"holdId"`
	Meters    map[string]MeterUsage `json:"meters"`
	PeriodEnd time.Time             `json:"periodEnd"`
}

// Settle counts what was used of a hold, which may be more than was held, and returns the rest.
func (c *Client) Settle(ctx context.Context, bucketID, holdID string, meters map[string]float64) (*SettledHold, error) {
	path := map[string]string{"bucketId": bucketID, "holdId": holdID}
	settled := new(SettledHold)
	if err := c.Call(ctx, "settleHold", Call{Path: path, Body: map[string]any{"meters": meters}}, settled); err != nil {
		return nil, err
	}
	return settled, nil
}

// Release returns what is held.
func (c *Client) Release(ctx context.Context, bucketID, holdID string) error {
	path := map[string]string{"bucketId": bucketID, "holdId": holdID}
	return c.Call(ctx, "releaseHold", Call{Path: path}, nil)
}

// Event is a CloudEvent 1.0 that reports usage. It is counted once by its ID and Source, however often it is sent.
type Event struct {
	SpecVersion string `json:"specversion"`
	ID          string `json:"id"`
	Source      string `json:"source"`
	Type        string `json:"type"`
	// Subject is the customerKey of a subscription.
	Subject string `json:"subject"`
	// Time is now if it is nil. Late events count in the period of their time.
	Time *time.Time         `json:"time,omitempty"`
	Data map[string]float64 `json:"data"`
}

// Ingested is what the server did with reported events.
type Ingested struct {
	Accepted   int             `json:"accepted"`
	Duplicates int             `json:"duplicates"`
	Rejected   []RejectedEvent `json:"rejected"`
}

// RejectedEvent is an event that was not counted, by its index.
type RejectedEvent struct {
	Index  int    `json:"index"`
	Detail string `json:"detail"`
}

// Report counts usage, and returns when it is stored durably.
func (c *Client) Report(ctx context.Context, bucketID string, events []Event) (*Ingested, error) {
	return c.report(ctx, bucketID, events, c.retries)
}

func (c *Client) report(ctx context.Context, bucketID string, events []Event, retries int) (*Ingested, error) {
	if events == nil {
		events = []Event{}
	}
	ingested := new(Ingested)
	err := c.send(ctx, request{
		operation:    "recordUsage",
		Call:         Call{Path: map[string]string{"bucketId": bucketID}, Body: events},
		isRepeatable: true,
		retries:      retries,
	}, ingested)
	if err != nil {
		return nil, err
	}
	return ingested, nil
}

// Call is what an operation gets. All fields are optional.
type Call struct {
	// Path has the parameters of the path; the account is the client's.
	Path  map[string]string
	Query url.Values
	// Body is marshalled to JSON, except for []byte.
	Body any
	// IdempotencyKey is random by default and repeated with each retry of a POST.
	IdempotencyKey string
	// IfMatch is the ETag of what was read: the call is rejected with 412 if it has changed since.
	IfMatch string
}

// Call calls an operation of the API by the operationId that the reference at /docs shows. The result is a pointer for
// JSON, a *[]byte for an operation of another type, or nil.
func (c *Client) Call(ctx context.Context, operationID string, call Call, result any) error {
	method, _, _ := strings.Cut(operations[operationID], " ")
	if method == http.MethodPost && call.IdempotencyKey == "" {
		call.IdempotencyKey = newKey()
	}
	// If the response to a change was lost, its repetition may be rejected: the caller must look.
	return c.send(ctx, request{operationID, call, method != http.MethodPatch, c.retries}, result)
}

type request struct {
	operation string
	Call
	// isRepeatable means that a retry is safe although the server may have processed the request.
	isRepeatable bool
	retries      int
}

func (c *Client) send(ctx context.Context, r request, result any) error {
	method, target, mediaType, err := c.target(ctx, r)
	if err != nil {
		return err
	}
	content, isJSON := r.Body.([]byte)
	isJSON = !isJSON && r.Body != nil
	if isJSON {
		if content, err = json.Marshal(r.Body); err != nil {
			return &Error{Code: CodeInvalidParameter, Detail: "body is not JSON: " + err.Error(), cause: err}
		}
	}
	header := http.Header{"User-Agent": {c.userAgent}}
	set := func(name, value string) {
		if value != "" {
			header.Set(name, value)
		}
	}
	if c.token != "" {
		header.Set("Authorization", "Bearer "+c.token)
	}
	if isJSON {
		header.Set("Content-Type", "application/json")
	}
	set("Accept", mediaType)
	set("Idempotency-Key", r.IdempotencyKey)
	set("If-Match", r.IfMatch)
	for name, values := range header {
		if strings.IndexFunc(values[0], isIllegal) >= 0 {
			return invalidParameter("%s has characters that HTTP does not allow", strings.ToLower(name))
		}
	}
	for retry := 0; ; retry++ {
		response, body, err := c.attempt(ctx, method, target, header, content)
		if err == nil {
			// If the response to the first attempt was lost, the retry finds nothing to delete.
			if method == http.MethodDelete && retry > 0 && response.StatusCode == http.StatusNotFound {
				return nil
			}
			err = decode(response, body, mediaType, result)
		}
		var failure *Error
		if !errors.As(err, &failure) || retry >= r.retries || !isRetryable(failure, r.isRepeatable) {
			return err
		}
		pause, ok := pauseBefore(retry, failure.RetryAfter, c.random())
		if !ok {
			return err
		}
		if err := c.sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// isIllegal is about the value of a header.
func isIllegal(r rune) bool { return r != '\t' && r < ' ' || r == 0x7f || r > 0xff }

// attempt sends the request once and reads the whole response.
func (c *Client) attempt(ctx context.Context, method, target string, header http.Header, content []byte) (*http.Response, []byte, error) {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, method, target, bytes.NewReader(content))
	if err != nil {
		return nil, nil, invalidParameter("%v", err)
	}
	if content == nil {
		request.Body, request.GetBody, request.ContentLength = http.NoBody, nil, 0
	}
	request.Header = header.Clone()
	response, err := c.http.Do(request)
	if err == nil {
		defer response.Body.Close()
		var body []byte
		if body, err = io.ReadAll(response.Body); err == nil {
			return response, body, nil
		}
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	origin := request.URL.Scheme + "://" + request.URL.Host
	if limited.Err() != nil {
		return nil, nil, &Error{Code: CodeTimeout, Detail: origin + " did not respond within " + c.timeout.String() + ".", cause: err}
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return nil, nil, &Error{Code: CodeNetwork, Detail: "Cannot connect to " + origin + ", or the connection was lost: " + err.Error(), cause: err}
}

func decode(response *http.Response, body []byte, mediaType string, result any) error {
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return rejection(response, body)
	}
	if response.StatusCode == http.StatusNoContent || result == nil {
		return nil
	}
	if text, ok := result.(*[]byte); ok && mediaType != "" {
		*text = body
		return nil
	}
	if json.Unmarshal(body, result) != nil {
		return rejection(response, nil)
	}
	return nil
}

var parameter = regexp.MustCompile(`\{\w+\}`)

// target returns the method, the URL and the media type of a request.
func (c *Client) target(ctx context.Context, r request) (method, target, mediaType string, err error) {
	route, ok := operations[r.operation]
	if !ok {
		return "", "", "", invalidParameter("There is no operation %q.", r.operation)
	}
	method, path, _ := strings.Cut(route, " ")
	path, mediaType, _ = strings.Cut(path, " ")
	template, used := path, 0
	path = parameter.ReplaceAllStringFunc(path, func(match string) string {
		name := match[1 : len(match)-1]
		value, ok := r.Path[name]
		switch {
		case ok:
			used++
		case name == "accountName":
			var failed error
			if value, failed = c.ownAccount(ctx); failed != nil {
				err = failed
				return ""
			}
		default:
			err = invalidParameter("%s is missing in Path", name)
			return ""
		}
		// An empty or dotted segment would address another resource: deleting a key could delete its consumer.
		if value == "" || value == "." || value == ".." {
			err = invalidParameter("%s must not be %q", name, value)
		}
		return url.PathEscape(value)
	})
	if err == nil && used != len(r.Path) {
		err = invalidParameter("Path has a parameter that %s has not", template)
	}
	if err != nil {
		return "", "", "", err
	}
	query := url.Values{}
	for name, values := range r.Query {
		query[name] = values
	}
	// The operator has no account and must name one if the path does not.
	if account := c.givenAccount(); account != "" && !strings.HasPrefix(template, "/v1/accounts") && !query.Has("accountName") {
		query.Set("accountName", account)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return method, c.url + path, mediaType, nil
}

func (c *Client) givenAccount() string {
	c.accountLock.Lock()
	defer c.accountLock.Unlock()
	return c.account
}

// ownAccount returns the account of the options, or the token's own, which is requested once.
func (c *Client) ownAccount(ctx context.Context) (string, error) {
	if account := c.givenAccount(); account != "" {
		return account, nil
	}
	var identity struct{ Account string }
	if err := c.send(ctx, request{operation: "whoAmI", isRepeatable: true, retries: c.retries}, &identity); err != nil {
		return "", err
	}
	if identity.Account == "" {
		return "", &Error{
			Code:   CodeAccountRequired,
			Detail: "The operator's token has no account of its own. Name one: New(url, token, WithAccount(name)).",
		}
	}
	c.accountLock.Lock()
	defer c.accountLock.Unlock()
	c.account = identity.Account
	return c.account, nil
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func newKey() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		panic(err) // The system has no randomness: nothing is safe.
	}
	return hex.EncodeToString(bytes)
}
