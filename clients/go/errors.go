package tollgate

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

const (
	firstPause    = 200 * time.Millisecond
	maxPause      = 5 * time.Second
	maxRetryAfter = 30 * time.Second
)

// Codes of errors that no server sent.
const (
	// CodeNetwork means that there was no connection, or that it was lost.
	CodeNetwork = "network"
	// CodeTimeout means that an attempt took longer than the timeout of the client.
	CodeTimeout = "timeout"
	// CodeUnexpectedAnswer means that the response is not from a Tollgate server, such as a proxy's.
	CodeUnexpectedAnswer = "unexpected_answer"
	// CodeAccountRequired means that the operator's token needs WithAccount.
	CodeAccountRequired = "account_required"
	// CodeInvalidParameter means that no request was sent: no resource can have this name, or no request this token.
	CodeInvalidParameter = "invalid_parameter"
)

// Error is the error of a failed call. Use errors.As to get it from the error of a method.
type Error struct {
	// Status is the HTTP status, or 0 if there was no response.
	Status int
	// Code is stable: one of the server's, or one of the constants of this package.
	Code string
	// Detail is the message for people.
	Detail string
	// Errors has the invalid fields of the request.
	Errors []FieldError
	// RequestID identifies the request in the server's log.
	RequestID string
	// RetryAfter is the time to wait before a retry, or 0.
	RetryAfter time.Duration

	cause error
}

// FieldError is a field of a request and what is wrong with it.
type FieldError struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

func (e *Error) Error() string { return fmt.Sprintf("tollgate: %s (%s)", e.Detail, e.Code) }

// Unwrap returns the error of the network, if there is one.
func (e *Error) Unwrap() error { return e.cause }

func invalidParameter(format string, values ...any) *Error {
	return &Error{Code: CodeInvalidParameter, Detail: fmt.Sprintf(format, values...)}
}

// rejection returns the error of a response that is not 2xx, or that has no JSON where there should be some.
func rejection(response *http.Response, body []byte) *Error {
	err := &Error{Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id")}
	// Proxies may send a date, which the server never does.
	if seconds, notNumber := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); notNumber == nil {
		err.RetryAfter = time.Duration(seconds) * time.Second
	}
	var problem struct {
		Code, Detail string
		Errors       []FieldError
		// OAuth's, which the exchange of tokens returns.
		Error       string
		Description string `json:"error_description"`
	}
	if json.Unmarshal(body, &problem) == nil {
		err.Code, err.Detail, err.Errors = problem.Code, problem.Detail, problem.Errors
		if err.Code == "" {
			err.Code, err.Detail = problem.Error, problem.Description
		}
	}
	if err.Code != "" && err.Detail != "" {
		return err
	}
	err.Code = CodeUnexpectedAnswer
	if location := response.Header.Get("Location"); location != "" {
		err.Detail = fmt.Sprintf("The server is elsewhere: %d leads to %s. Give the client that address.",
			response.StatusCode, location)
	} else {
		err.Detail = fmt.Sprintf("The response was %s, and not from a Tollgate server. Is the address right?",
			response.Status)
	}
	return err
}

// isRetryable reports whether a retry can mend the error. A request without an effect of its own can always be
// repeated, another one only if the server rejected it.
func isRetryable(err *Error, repeatable bool) bool {
	if err.Status == http.StatusTooManyRequests || err.Status == http.StatusServiceUnavailable ||
		err.Code == "request_in_progress" {
		return true
	}
	return repeatable && (err.Code == CodeNetwork || err.Code == CodeTimeout)
}

// pauseBefore returns the pause before a retry, which doubles and of which half is random. It reports false if the
// server asks for more than the maximum.
func pauseBefore(retry int, retryAfter time.Duration, random float64) (time.Duration, bool) {
	pause := math.Min(float64(firstPause)*math.Pow(2, float64(retry)), float64(maxPause))
	jittered := time.Duration(pause/2 + pause/2*random)
	return retryAfter + jittered, retryAfter <= maxRetryAfter
}
