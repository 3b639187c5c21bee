import { join } from "node:path";
import { writeSecretFile } from "../../../platform/storage/data-directory/data-directory.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { createAccountOnce, findAccount } from "./accounts.ts";
import { adoptAdminToken, createToken } from "./tokens.ts";

export interface FirstStart {
  /** The generated admin token and its file. Absent unless this start generated one. */
  adminToken?: { value: string; file: string };
}

/** Creates the first account and token. Safe if many nodes start at once: one of them creates both. */
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
      // Written before the commit: an account whose only token is lost would be inaccessible.
      writeSecretFile(file, `${created.value}\n`);
      return created.value;
    }
    return undefined;
  });
  return value === undefined ? {} : { adminToken: { value, file } };
}
