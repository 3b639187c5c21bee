package tollgate

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"os"
	"testing"
	"time"
)

type clientCase struct {
	URL, Token, Account, Method string
	TimeoutMs                   int
	Retries                     *int
	Arguments                   struct {
		Bucket, Key, IP, Permission, IdempotencyKey string
		BucketID, HoldID, Operation                 string
		Consume                                     *Consumption
		Hold                                        *Hold
		Observe                                     bool
		Meters                                      map[string]float64
		Events                                      []Event
		Path                                        map[string]string
		Query                                       map[string]any
		Body                                        json.RawMessage
		Adds                                        [][2]json.RawMessage
		MaxQueue, CloseMs                           int
	}
}

// TestCases runs the cases of the file that TOLLGATE_CASES names and writes what came of each to TOLLGATE_OUTCOMES.
func TestCases(t *testing.T) {
	input, err := os.ReadFile(os.Getenv("TOLLGATE_CASES"))
	if err != nil {
		t.Fatal("run by npm test, which sets TOLLGATE_CASES:", err)
	}
	var cases []clientCase
	if err := json.Unmarshal(input, &cases); err != nil {
		t.Fatal(err)
	}
	outcomes := make([]map[string]any, len(cases))
	for index, one := range cases {
		outcomes[index] = one.run()
	}
	output, _ := json.Marshal(outcomes)
	if err := os.WriteFile(os.Getenv("TOLLGATE_OUTCOMES"), output, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (c clientCase) run() map[string]any {
	pauses := []int{}
	options := []Option{func(client *Client) {
		client.random = func() float64 { return 0.5 }
		client.sleep = func(_ context.Context, pause time.Duration) error {
			pauses = append(pauses, int(pause.Milliseconds()))
			return nil
		}
	}, WithAccount(c.Account)}
	if c.TimeoutMs > 0 {
		options = append(options, WithTimeout(time.Duration(c.TimeoutMs)*time.Millisecond))
	}
	if c.Retries != nil {
		options = append(options, WithRetries(*c.Retries))
	}
	outcome := map[string]any{}
	var result any
	client, err := New(c.URL, c.Token, options...)
	if err == nil {
		result, err = c.call(client)
		client.http.CloseIdleConnections()
	}
	var failure *Error
	if errors.As(err, &failure) {
		fields := map[string]any{"status": failure.Status, "code": failure.Code, "errors": failure.Errors}
		if failure.Errors == nil {
			fields["errors"] = []FieldError{}
		}
		if failure.RequestID != "" {
			fields["requestId"] = failure.RequestID
		}
		if failure.RetryAfter != 0 {
			fields["retryAfterSeconds"] = int(failure.RetryAfter.Seconds())
		}
		outcome["error"] = fields
	} else if err != nil {
		outcome["error"] = map[string]any{"status": -1, "code": err.Error()}
	} else {
		outcome["result"] = result
	}
	outcome["pauses"] = pauses
	return outcome
}

func (c clientCase) call(client *Client) (any, error) {
	ctx, given := context.Background(), c.Arguments
	switch c.Method {
	case "verifyKey":
		usage := &KeyUsage{given.IP, given.Permission, given.Consume, given.Hold, given.Observe, given.IdempotencyKey}
		return client.VerifyKey(ctx, given.Bucket, given.Key, usage)
	case "settle":
		return client.Settle(ctx, given.BucketID, given.HoldID, given.Meters)
	case "release":
		return nil, client.Release(ctx, given.BucketID, given.HoldID)
	case "reporter":
		return c.reportInBackground(client), nil
	case "report":
		return client.Report(ctx, given.BucketID, given.Events)
	}
	query := url.Values{}
	for name, value := range given.Query {
		text, _ := json.Marshal(value)
		query.Set(name, string(text))
	}
	call := Call{Path: given.Path, Query: query}
	if given.Body != nil {
		call.Body = given.Body
	}
	var result any
	err := client.Call(ctx, given.Operation, call, &result)
	return result, err
}

func (c clientCase) reportInBackground(client *Client) any {
	dropped := [][2]any{}
	reporter := NewUsageReporter(client, c.Arguments.BucketID, ReporterOptions{
		MaxQueue: c.Arguments.MaxQueue,
		OnDrop: func(events []Event, reason string) {
			dropped = append(dropped, [2]any{len(events), reason})
		},
	})
	for _, add := range c.Arguments.Adds {
		var customer string
		var meters map[string]float64
		_ = json.Unmarshal(add[0], &customer)
		if json.Unmarshal(add[1], &meters) != nil {
			meters = map[string]float64{"requests": math.NaN()}
		}
		reporter.Add(customer, meters)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(c.Arguments.CloseMs)*time.Millisecond)
	defer cancel()
	_ = reporter.Close(ctx)
	reporter.Add("late", map[string]float64{"requests": 1})
	return dropped
}
