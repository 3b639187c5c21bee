import { z } from "zod";
import { isHopByHop } from "../../platform/http1/message/hop-by-hop.ts";
import { dashed, NameSet } from "../../platform/http1/message/name-set.ts";

/** Headers that the gateway sets itself. */
const ownHeaders = new NameSet("host", "content-length");

/** The name of a header, in lower case. */
export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, "must be the name of a header")
  .transform((name) => name.toLowerCase());

/** A header that a project may set or remove. */
export const freeHeaderName = headerName.refine(
  (name) => !isHopByHop(name) && !ownHeaders.has(name) && !dashed(name).startsWith("x-consumer-"),
  "is a header that belongs to the gateway",
);

/** A valid header value: visible ASCII and blanks, but no blank at either end. */
export const headerValue = z
  .string()
  .max(4096, "must have at most 4096 characters")
  .regex(
    /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/,
    "must be visible ASCII characters without blanks at its ends",
  );
