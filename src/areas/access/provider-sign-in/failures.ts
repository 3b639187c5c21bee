import type { Log } from "../../../platform/telemetry/log.ts";
import { ProviderUnavailable } from "./provider.ts";

/** Returns why a sign-in with a provider failed, and logs it for the operator. */
export function logFailure(
  log: Log,
  error: unknown,
  details: Record<string, string> = {},
): "provider_unavailable" | "sign_in_failed" {
  const isDown = isUnavailable(error);
  log.warn(isDown ? "the identity provider cannot be reached" : "a sign-in with the identity provider was rejected", {
    ...details,
    error: reasonOf(error),
  });
  return isDown ? "provider_unavailable" : "sign_in_failed";
}

/** openid-client wraps errors. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof ProviderUnavailable) return true;
  return error instanceof Error && error.cause !== undefined && isUnavailable(error.cause);
}

/** The message of the innermost error. Errors of openid-client have responses as their cause, which may have tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
