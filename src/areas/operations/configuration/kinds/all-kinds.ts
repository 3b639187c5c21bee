import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import type { PaymentServices } from "../../../commerce/billing/payments/interface.ts";
import type { Domains } from "../../../gateways/domains/domains.ts";
import type { Variables } from "../../../gateways/variables/variables.ts";
import type { Exports } from "../../exports/exports.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import { type Kind, kindNames } from "../kind.ts";
import { billingProfileKind, paymentProviderKind } from "./billing-settings.ts";
import { creditPacks } from "./credit-packs.ts";
import { domainKind } from "./domains.ts";
import { exportKind } from "./exports.ts";
import { keyBuckets } from "./key-buckets.ts";
import { meteringBuckets } from "./metering-buckets.ts";
import { plans } from "./metering-plans.ts";
import { portalKind } from "./portals.ts";
import { variableKind } from "./variables.ts";
import { webhookKind } from "./webhooks.ts";

interface KindDependencies {
  webhooks: Webhooks;
  domains: Domains;
  variables: Variables;
  exports: Exports;
  keyring: Keyring;
  payments: { services: PaymentServices };
}

/** All kinds, in the order of `kindNames`. */
export function allKinds({ webhooks, domains, variables, exports, keyring, payments }: KindDependencies): Kind[] {
  const kinds = [
    billingProfileKind,
    paymentProviderKind(keyring, payments.services),
    keyBuckets,
    meteringBuckets,
    plans,
    creditPacks,
    webhookKind(webhooks),
    domainKind(domains),
    variableKind(variables),
    portalKind(keyring),
    exportKind(exports),
  ];
  return kindNames.map((name) => kinds.find((kind) => kind.name === name)!);
}
