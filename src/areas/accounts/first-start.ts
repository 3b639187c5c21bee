import { join } from "node:path";
import { writeSecretFile } from "../../platform/storage/data-directory/data-directory.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { createAccountOnce, findAccount } from "./accounts.ts";
import { adoptAdminToken, createToken } from "./tokens.ts";

export interface FirstStart {
  /** The admin token that was made, and where it is kept; absent unless this start made one. */
  adminToken?: { value: string; file: string };
}

/** An account and a token to begin with. Safe when many nodes start at once: one makes them. */
export async function prepareFirstStart(
  storage: Storage,
  options: { account: string; adminToken: string | undefined; dataDirectory: string; now: number },
): Promise<FirstStart> {
  const file = join(options.dataDirectory, "admin-token");
  const by = { actor: "system", now: options.now };
  const value = await storage.write(async (transaction) => {
    const isNew = await createAccountOnce(transaction, by, options.account);
    const account = await findAccount(transaction, options.account);
    const act = { ...by, account };
    if (options.adminToken !== undefined) await adoptAdminToken(transaction, act, options.adminToken);
    else if (isNew) {
      const created = await createToken(transaction, act, { role: "admin", name: "first admin token" });
      // Before the commit: an account whose only token nobody holds would be lost.
      writeSecretFile(file, `${created.value}\n`);
      return created.value;
    }
    return undefined;
  });
  return value === undefined ? {} : { adminToken: { value, file } };
}
