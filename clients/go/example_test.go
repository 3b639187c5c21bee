package tollgate_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"

	tollgate "example.com/tollgate/clients/go"
)

func ExampleClient_VerifyKey() {
	client, err := tollgate.New("http://127.0.0.1:8787", "tgt_…")
	if err != nil {
		log.Fatal(err)
	}
	usage := &tollgate.KeyUsage{Consume: &tollgate.Consumption{
		BucketID: "main", Meters: map[string]float64{"requests": 1},
	}}
	verification, err := client.VerifyKey(context.Background(), "main", "tg_…", usage)
	var failure *tollgate.Error
	if errors.As(err, &failure) {
		log.Fatal(failure.Code)
	}
	if verification.Valid {
		fmt.Println(verification.Consumer.Name)
	}
}

func ExampleClient_Middleware() {
	client, err := tollgate.New("http://127.0.0.1:8787", "tgt_…")
	if err != nil {
		log.Fatal(err)
	}
	guard := client.Middleware(tollgate.MiddlewareOptions{Bucket: "main"})
	http.Handle("/forecast", guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "for", tollgate.FromContext(r.Context()).Consumer.Name)
	})))
	log.Fatal(http.ListenAndServe("127.0.0.1:3000", nil))
}

func ExampleNewUsageReporter() {
	client, err := tollgate.New("http://127.0.0.1:8787", "tgt_…")
	if err != nil {
		log.Fatal(err)
	}
	usage := tollgate.NewUsageReporter(client, "main", tollgate.ReporterOptions{
		OnDrop: func(events []tollgate.Event, reason string) { log.Println(len(events), reason) },
	})
	usage.Add("acme", map[string]float64{"requests": 1})
	if err := usage.Close(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func ExampleClient_Call() {
	client, err := tollgate.New("http://127.0.0.1:8787", "tgt_…")
	if err != nil {
		log.Fatal(err)
	}
	var page struct{ Total int }
	call := tollgate.Call{Path: map[string]string{"bucketName": "main"}}
	if err := client.Call(context.Background(), "listConsumers", call, &page); err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Total)
}
