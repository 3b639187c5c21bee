import { formatDateTime } from "../../../lib/time/time.ts";
import { presentRules } from "./fields.ts";
import type { KeyRow } from "./store.ts";

export interface PresentedKey extends ReturnType<typeof presentRules> {
  id: string;
  createdOn: string;
  updatedOn: string;
  expiresOn: string | null;
  description?: string;
  key?: string;
  isRetrievable?: false;
  leak?: { reportedOn: string; source: string; url?: string };
}

/** Returns a key as the API shows it, with the given value if there is one. */
export function presentKey(key: Omit<KeyRow, "seq">, value: string | undefined): PresentedKey {
  return {
    id: key.id,
    createdOn: formatDateTime(key.created_on),
    updatedOn: formatDateTime(key.updated_on),
    expiresOn: key.expires_on === null ? null : formatDateTime(key.expires_on),
    ...(key.description === null ? {} : { description: key.description }),
    ...presentRules(key),
    ...(value === undefined ? {} : { key: value }),
    ...(key.sealed === null && { isRetrievable: false }),
    ...(key.leak !== null && { leak: JSON.parse(key.leak) }),
  };
}

export function maskedKey({ suffix }: Pick<KeyRow, "suffix">): string {
  return `****${suffix}`;
}
