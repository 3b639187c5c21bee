import type { Keyring } from "../../../lib/crypto/keyring.ts";
import type { Domains } from "../../domains/domains.ts";
import type { Variables } from "../../variables/variables.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import { type Kind, kindNames } from "../kind.ts";
import { domainKind } from "./domains.ts";
import { keyBuckets } from "./key-buckets.ts";
import { meteringBuckets } from "./metering-buckets.ts";
import { plans } from "./metering-plans.ts";
import { portalKind } from "./portals.ts";
import { variableKind } from "./variables.ts";
import { webhookKind } from "./webhooks.ts";

export interface KindDependencies {
  webhooks: Webhooks;
  domains: Domains;
  variables: Variables;
  keyring: Keyring;
}

/** All kinds, in the order of `kindNames`. */
export function allKinds({ webhooks, domains, variables, keyring }: KindDependencies): Kind[] {
  const kinds = [
    keyBuckets,
    meteringBuckets,
    plans,
    webhookKind(webhooks),
    domainKind(domains),
    variableKind(variables),
    portalKind(keyring),
  ];
  return kindNames.map((name) => kinds.find((kind) => kind.name === name)!);
}
