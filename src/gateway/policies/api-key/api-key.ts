import type { BucketPlace } from "../../../areas/buckets/directory.ts";
import type { KeyIdentity } from "../../../areas/keys/known-keys.ts";
import type { KeyVerifier, Verdict } from "../../../areas/keys/verifier.ts";
import { HttpHeaders } from "../../../platform/http1/headers.ts";
import type { HttpResponse } from "../../../platform/http1/http-response.ts";
import { NameSet } from "../../../platform/http1/name-set.ts";
import type { Passage, Policy, PolicyPlace } from "../../policy.ts";
import { refuse, refuseWhileAway } from "../../refusal.ts";
import type { ApiKeyOptions } from "./schema.ts";

/** What a target is told of whom: put together once for each, as long as it is kept. */
const told = new WeakMap<KeyIdentity, HttpHeaders>();

/** What servers take of a header by default is twice this; the other headers need room too. */
const longestMetadata = 4096;

/** Lets requests with a good key pass, and tells the target whose it is instead of the key. */
export class ApiKeyPolicy implements Policy {
  readonly #prefix: string;
  readonly #lowerCasePrefix: string;
  readonly #challenge: string;
  readonly #bucket: BucketPlace;
  /** With the spellings that an upstream may take for it. */
  readonly #keyHeader: NameSet;

  constructor(
    private readonly verifier: KeyVerifier,
    private readonly options: ApiKeyOptions,
    place: PolicyPlace,
  ) {
    const { scheme, header } = options;
    this.#bucket = verifier.buckets.place(place.account.seq, options.bucket);
    this.#keyHeader = new NameSet(header);
    this.#prefix = scheme === "" ? "" : `${scheme} `;
    this.#lowerCasePrefix = this.#prefix.toLowerCase();
    const where = header === "authorization" ? "" : `, header="${header}"`;
    this.#challenge = `${scheme || "ApiKey"} realm="${place.deployment}"${where}`;
  }

  enter(passage: Passage): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    const key = this.#keyOf(passage);
    if (key === undefined)
      return this.options.allowAnonymous ? this.#admitNobody(passage) : this.#refuse(passage, "key_missing");
    const verdict = this.verifier.verify(this.#bucket, key, passage.now);
    return verdict instanceof Promise ? this.#enterLater(passage, verdict) : this.#admit(passage, verdict);
  }

  async #enterLater(passage: Passage, verdict: Promise<Verdict>): Promise<HttpResponse | undefined> {
    try {
      return this.#admit(passage, await verdict);
    } catch (error) {
      return refuseWhileAway(passage, error);
    }
  }

  /** A header of another scheme carries no key. Schemes are compared without regard to case. */
  #keyOf(passage: Passage): string | undefined {
    const value = passage.headers.get(this.options.header);
    if (value === null || value === "") return undefined;
    const { length } = this.#prefix;
    if (!value.startsWith(this.#prefix) && value.slice(0, length).toLowerCase() !== this.#lowerCasePrefix)
      return undefined;
    return value.slice(length).trimStart();
  }

  #admit(passage: Passage, { identity, refusal }: Verdict): HttpResponse | undefined {
    if (!identity) return this.#refuse(passage, refusal === "expired" ? "key_expired" : "key_invalid");
    passage.user = identity.user;
    passage.consumerId = identity.consumerId;
    passage.keyId = identity.keyId;
    const { headers } = passage;
    headers.deleteAll(this.#keyHeader);
    headers.share(headersOf(identity));
    return undefined;
  }

  /** A header of another scheme passes; one that only looks like the key's to an upstream does not. */
  #admitNobody({ headers }: Passage): undefined {
    const { header } = this.options;
    if (headers.mayHold(this.#keyHeader)) headers.deleteWhere((name) => name !== header && this.#keyHeader.has(name));
  }

  #refuse(passage: Passage, code: "key_missing" | "key_invalid" | "key_expired"): HttpResponse {
    const error = code === "key_missing" ? "" : ', error="invalid_token"';
    return refuse(passage, code, { headers: { "www-authenticate": this.#challenge + error } });
  }
}

function headersOf(identity: KeyIdentity): HttpHeaders {
  let headers = told.get(identity);
  if (headers) return headers;
  headers = new HttpHeaders({
    "x-consumer-name": identity.user.sub,
    "x-consumer-id": identity.consumerId,
    "x-consumer-key-id": identity.keyId,
  });
  const { metadataText } = identity;
  if (metadataText !== undefined && metadataText.length <= longestMetadata)
    headers.set("x-consumer-metadata", metadataText);
  told.set(identity, headers);
  return headers;
}
