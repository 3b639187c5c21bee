import { expect } from "bun:test";
import { Tollgate, TollgateError, type TollgateOptions } from "../../src/client/index.ts";
import { adminToken, operatorToken } from "./server-settings.ts";

interface Address {
  readonly url: string;
}

/** The published client on a server under test, with the admin's token. */
export function clientOf(server: Address, options: Partial<TollgateOptions> = {}): Tollgate {
  return new Tollgate({ url: server.url, token: adminToken, ...options });
}

export function operatorOf(server: Address): Tollgate {
  return new Tollgate({ url: server.url, token: operatorToken });
}

/** The error of a rejected call. */
export async function rejected(call: Promise<unknown>): Promise<TollgateError> {
  const outcome = await call.then(
    (response) => `returned ${JSON.stringify(response)}`,
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(TollgateError);
  return outcome as TollgateError;
}
