import { operationsIn } from "../../../api/endpoint.ts";
import { addressOf, type ConsumerFinder, consumerPath } from "./consumer-address.ts";

/** Declares operations of a consumer, whose handlers get it and its bucket. Conditions for its tags are checked. */
export function inConsumer(consumers: ConsumerFinder) {
  return operationsIn({
    path: consumerPath,
    common: { takesTags: true },
    forReads: (input) => consumers.find(input.reads, addressOf(input)),
    forWrites: (input, transaction) => consumers.findForUpdate(transaction, addressOf(input)),
  });
}
