package tollgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	batchSize = 1000
	// gatherTime is how long events wait for others.
	gatherTime = time.Second
	// closeTime is how long Close waits for the last ones if its context has no deadline.
	closeTime = 5 * time.Second
)

// Reasons for which events are dropped, beside the server's rejections.
const (
	DroppedQueueFull = "queue_full"
	// DroppedClosed means that the events were not sent before the end of Close. The last batch may have been counted.
	DroppedClosed = "closed"
	// DroppedNotJSON means that an amount is NaN or infinite: a batch with it could never be sent.
	DroppedNotJSON = CodeInvalidParameter + ": the event is not JSON"
)

// ReporterOptions are the options of NewUsageReporter. All are optional.
type ReporterOptions struct {
	// OnDrop gets the events that are dropped, and why. It must not block.
	OnDrop func(events []Event, reason string)
	// MaxQueue is how many events may wait; 100,000 by default.
	MaxQueue int
	// Source is that of the events; "tollgate-go" by default.
	Source string
}

// UsageReporter sends usage in batches in the background. An event has its ID from the start and is repeated until the
// server has answered, so it is counted once. A killed process loses what was not sent.
type UsageReporter struct {
	client   *Client
	bucketID string
	options  ReporterOptions

	lock     sync.Mutex
	queue    []Event
	isClosed bool
	// done is closed when the goroutine, which the first event starts, has ended.
	done    chan struct{}
	changed chan struct{}
	closing context.Context
	begin   context.CancelFunc
	sending context.Context
	abort   context.CancelFunc
}

// NewUsageReporter returns a reporter of usage in a metering bucket. Call Close before the program exits.
func NewUsageReporter(client *Client, bucketID string, options ReporterOptions) *UsageReporter {
	if options.OnDrop == nil {
		options.OnDrop = func([]Event, string) {}
	}
	if options.MaxQueue == 0 {
		options.MaxQueue = 100_000
	}
	if options.Source == "" {
		options.Source = "tollgate-go"
	}
	r := &UsageReporter{client: client, bucketID: bucketID, options: options, changed: make(chan struct{}, 1)}
	r.closing, r.begin = context.WithCancel(context.Background())
	r.sending, r.abort = context.WithCancel(context.Background())
	return r
}

// Add queues one event and returns at once. Amounts are greater than 0.
func (r *UsageReporter) Add(customerKey string, meters map[string]float64) {
	now := time.Now().UTC()
	event := Event{
		SpecVersion: "1.0", ID: newKey(), Source: r.options.Source, Type: "usage",
		Subject: customerKey, Time: &now, Data: make(map[string]float64, len(meters)),
	}
	for name, amount := range meters {
		event.Data[name] = amount
	}
	if reason := r.enqueue(event); reason != "" {
		r.options.OnDrop([]Event{event}, reason)
	}
}

func (r *UsageReporter) enqueue(event Event) (reason string) {
	_, err := json.Marshal(event)
	r.lock.Lock()
	defer r.lock.Unlock()
	switch {
	case err != nil:
		return DroppedNotJSON
	case r.isClosed:
		return DroppedClosed
	case len(r.queue) >= r.options.MaxQueue:
		return DroppedQueueFull
	}
	r.queue = append(r.queue, event)
	if r.done == nil {
		r.done = make(chan struct{})
		go r.run()
	}
	if len(r.queue) == 1 || len(r.queue) == batchSize {
		select {
		case r.changed <- struct{}{}:
		default:
		}
	}
	return ""
}

// Close sends what is queued and drops the rest when the context ends, after 5 seconds at the latest if it has no
// deadline. It returns an error if events were dropped.
func (r *UsageReporter) Close(ctx context.Context) error {
	if _, hasDeadline := ctx.Deadline(); !hasDeadline {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, closeTime)
		defer cancel()
	}
	r.lock.Lock()
	r.isClosed = true
	done := r.done
	r.lock.Unlock()
	r.begin()
	if done != nil {
		select {
		case <-done:
		case <-ctx.Done():
			r.abort()
			<-done
		}
	}
	r.abort()
	r.lock.Lock()
	rest := r.queue
	r.queue = nil
	r.lock.Unlock()
	if len(rest) == 0 {
		return nil
	}
	r.options.OnDrop(rest, DroppedClosed)
	return fmt.Errorf("tollgate: %d events were not reported", len(rest))
}

func (r *UsageReporter) run() {
	defer close(r.done)
	for failures := 0; ; {
		batch := r.nextBatch(failures)
		if len(batch) == 0 {
			return
		}
		ingested, err := r.client.report(r.sending, r.bucketID, batch, 0)
		var failure *Error
		switch {
		case err == nil:
			failures = 0
			r.remove(len(batch))
			for _, rejected := range ingested.Rejected {
				if rejected.Index < len(batch) {
					r.options.OnDrop(batch[rejected.Index:rejected.Index+1], rejected.Detail)
				}
			}
		case r.sending.Err() != nil:
			return
		case errors.As(err, &failure) && isAnswer(failure):
			failures = 0
			r.remove(len(batch))
			r.options.OnDrop(batch, failure.Code+": "+failure.Detail)
		default:
			failures++
		}
	}
}

// isAnswer reports whether the server has rejected the batch, so that a repetition would be rejected too.
func isAnswer(err *Error) bool {
	if err.Status == 0 || err.Code == CodeUnexpectedAnswer {
		return err.Code == CodeInvalidParameter
	}
	return err.Status != http.StatusTooManyRequests && err.Status < 500
}

// nextBatch waits for events, or for a pause after failures. It returns none when all is sent or time is up.
func (r *UsageReporter) nextBatch(failures int) []Event {
	switch {
	case failures > 0:
		pause, _ := pauseBefore(failures-1, 0, r.client.random())
		if r.closing.Err() != nil && pause > firstPause {
			pause = firstPause
		}
		r.wait(pause, false)
	case r.closing.Err() == nil:
		for r.length() == 0 && r.closing.Err() == nil {
			select {
			case <-r.changed:
			case <-r.closing.Done():
			}
		}
		if r.length() < batchSize {
			r.wait(gatherTime, true)
		}
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.sending.Err() != nil {
		return nil
	}
	count := len(r.queue)
	if count > batchSize {
		count = batchSize
	}
	return append([]Event(nil), r.queue[:count]...)
}

// wait ends early when the reporter begins to close, and with isGathering when a batch is full.
func (r *UsageReporter) wait(pause time.Duration, isGathering bool) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	closing := r.closing.Done()
	if r.closing.Err() != nil {
		closing = r.sending.Done()
	}
	for {
		select {
		case <-timer.C:
			return
		case <-closing:
			return
		case <-r.changed:
			if isGathering && r.length() >= batchSize {
				return
			}
		}
	}
}

func (r *UsageReporter) length() int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return len(r.queue)
}

func (r *UsageReporter) remove(count int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.queue = r.queue[count:]; len(r.queue) == 0 {
		r.queue = nil // Otherwise the array would keep what was sent.
	}
}
