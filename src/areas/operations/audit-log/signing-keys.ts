import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { headText } from "../../../lib/crypto/hash-chain.ts";
import type { Keyring } from "../../../lib/crypto/keyring.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import * as store from "./store.ts";

const sealPurpose = "audit-key";

/** The end of an account's chain at a time, signed so that a rewritten or shortened log is detected. */
export interface Head {
  /** The id of the account. */
  account: string;
  count: number;
  hash: string;
  time: string;
  /** The number of entries that were trimmed from the beginning, if any. */
  trimmed?: number;
  keyId: string;
  signature: string;
}

type UnsignedHead = Omit<Head, "keyId" | "signature">;

export function chainHeadOf({ account, count, hash, anchor }: store.ChainRow, time: string): UnsignedHead {
  return { account, count, hash, time, ...(anchor === 0 ? {} : { trimmed: anchor }) };
}

interface PublicKey {
  kty: "OKP";
  crv: "Ed25519";
  x: string;
  kid: string;
  use: "sig";
  alg: "EdDSA";
}

/** The installation's Ed25519 keys: the newest signs, all verify. */
export class SigningKeys {
  private constructor(
    private readonly current: { id: string; key: KeyObject },
    /** The key that signs is first. */
    readonly publicKeys: PublicKey[],
  ) {}

  /** Creates the first key. A key whose private part was encrypted with a lost encryption key is replaced. */
  static async open(storage: Storage, keyring: Keyring, now: number): Promise<SigningKeys> {
    return storage.write(async (transaction) => {
      await transaction.lock("audit keys");
      const rows = await store.signingKeys(transaction);
      const [newest] = rows;
      const known = newest && keyring.openIfKnown(newest.private_key, sealPurpose);
      if (known !== undefined)
        return new SigningKeys({ id: newest!.id, key: createPrivateKey(known) }, rows.map(toPublic));
      const { publicKey, privateKey } = generateKeyPairSync("ed25519");
      const { x } = publicKey.export({ format: "jwk" });
      const id = hash("sha256", x!, "hex").slice(0, 16);
      const text = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
      const row = { id, public_key: x!, private_key: keyring.seal(text, sealPurpose), created_on: now };
      await transaction.insert("audit_keys", row);
      return new SigningKeys({ id, key: privateKey }, [row, ...rows].map(toPublic));
    });
  }

  sign(head: UnsignedHead): Head {
    const signature = sign(null, Buffer.from(headText(head)), this.current.key).toString("base64url");
    return { ...head, keyId: this.current.id, signature };
  }

  isSigned(head: Head): boolean {
    const jwk = this.publicKeys.find(({ kid }) => kid === head.keyId);
    if (!jwk) return false;
    const key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: "jwk" });
    return verify(null, Buffer.from(headText(head)), key, Buffer.from(head.signature, "base64url"));
  }
}

function toPublic({ id, public_key }: { id: string; public_key: string }): PublicKey {
  return { kty: "OKP", crv: "Ed25519", x: public_key, kid: id, use: "sig", alg: "EdDSA" };
}
