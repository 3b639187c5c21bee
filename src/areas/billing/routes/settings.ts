import { read, write } from "../../../api/endpoint.ts";
import { notFound } from "../../../core/problems/problem.ts";
import { finalizeWaiting } from "../periods/drafts.ts";
import {
  billingProfile,
  billingProfileInput,
  paymentProvider,
  paymentProviderInput,
  providerModes,
} from "../schema.ts";
import {
  findProfile,
  findProvider,
  type ProviderMode,
  presentProfile,
  presentProvider,
  revisionOfProfile,
  revisionOfProvider,
  setProfile,
  setProvider,
} from "../settings/settings.ts";
import { area } from "./shared.ts";

const profilePath = "/v1/accounts/{accountName}/billing-profile";
const providerPath = "/v1/accounts/{accountName}/payment-provider/{mode}";

function modeOf(text: string): ProviderMode {
  const mode = providerModes.find((each) => each === text);
  if (!mode) throw notFound("payment provider");
  return mode;
}

export function settingsRoutes() {
  return [
    read({
      operationId: "getBillingProfile",
      path: profilePath,
      area,
      summary: "Read the billing profile of an account",
      access: "read",
      response: billingProfile,
      handle: async ({ reads, act, account }) => {
        const row = await findProfile(reads, account.seq);
        return { body: presentProfile(row), revision: revisionOfProfile(act, row) };
      },
    }),
    write({
      operationId: "setBillingProfile",
      method: "PUT",
      path: profilePath,
      area,
      summary: "Set the billing profile of an account",
      description: "Drafts that waited for it are finalized. Invoices keep the profile of their time.",
      access: "bill",
      body: billingProfileInput,
      response: billingProfile,
      handle: async ({ act, body, precondition }, transaction) => {
        const row = await setProfile(transaction, act, body, precondition);
        await finalizeWaiting(transaction, act);
        return { body: presentProfile(row), revision: revisionOfProfile(act, row) };
      },
    }),
    read({
      operationId: "getPaymentProvider",
      path: providerPath,
      area,
      summary: "Read how invoices are paid",
      description: "`mode` is `live`, or `test` for test buckets.",
      access: "read",
      response: paymentProvider,
      handle: async ({ reads, act, account, params }) => {
        const provider = await findProvider(reads, account.seq, modeOf(params.mode));
        return { body: presentProvider(provider), revision: revisionOfProvider(act, provider) };
      },
    }),
    write({
      operationId: "setPaymentProvider",
      method: "PUT",
      path: providerPath,
      area,
      summary: "Set how invoices are paid",
      description: "Applies to invoices that are finalized or collected from now on.",
      access: "administer",
      body: paymentProviderInput,
      response: paymentProvider,
      handle: async ({ act, params, body, precondition }, transaction) => {
        const provider = await setProvider(transaction, act, modeOf(params.mode), body.type, precondition);
        return { body: presentProvider(provider), revision: revisionOfProvider(act, provider) };
      },
    }),
  ];
}
