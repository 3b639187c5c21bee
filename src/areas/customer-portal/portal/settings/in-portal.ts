import { operationsIn } from "../../../../api/endpoint.ts";
import { findPortal } from "./portals.ts";

export const portalPath = "/v1/accounts/{accountName}/key-buckets/{bucketName}/portal";

/** Declares operations of a portal, whose handlers get it and its key bucket. */
export const inPortal = operationsIn({
  path: portalPath,
  forReads: ({ reads, account, params }) => findPortal(reads, account.seq, params.bucketName),
  forWrites: ({ account, params }, transaction) => findPortal(transaction, account.seq, params.bucketName),
});
