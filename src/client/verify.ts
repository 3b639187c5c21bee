/** `@tollgate/client/verify`: the part of the client that verifies keys. */

export type { Fetch } from "./transport/connection.ts";
export { type FieldError, TollgateError } from "./transport/errors.ts";
export type { CreateOptions, RequestOptions } from "./transport/options.ts";
export type { KeyVerification } from "./transport/schema.gen.ts";
export type { TollgateOptions } from "./transport/tollgate-options.ts";
export { KeyVerifier } from "./verification/key-verifier.ts";
export type { KeyUsage } from "./verification/verify-key.ts";
