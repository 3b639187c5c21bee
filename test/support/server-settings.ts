import type { Database } from "./engines.ts";

export const account = "default";
export const adminToken = "admin-token-of-the-tests-7d1f0c2b9a";
export const operatorToken = "operator-token-of-the-tests-4e8a6b3c5d";

export const encryptionKey = Buffer.alloc(32, "key of the tests");

export type Environment = Record<string, string>;

/** The settings of every server under test; all share one encryption key, like the nodes of a cluster. */
export function serverEnvironment(database: Database, dataDirectory: string, overrides: Environment): Environment {
  return {
    TOLLGATE_PORT: "0",
    TOLLGATE_HOST: "127.0.0.1",
    TOLLGATE_ACCOUNT: account,
    TOLLGATE_ADMIN_TOKEN: adminToken,
    TOLLGATE_OPERATOR_TOKEN: operatorToken,
    TOLLGATE_ENCRYPTION_KEY: encryptionKey.toString("base64"),
    TOLLGATE_DATA_DIR: dataDirectory,
    // No test reaches Stripe: nothing listens there.
    TOLLGATE_STRIPE_URL: "http://127.0.0.1:9",
    ...database.environment,
    ...overrides,
  };
}
