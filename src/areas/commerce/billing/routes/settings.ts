import { z } from "zod";
import { read, write } from "../../../../api/endpoint.ts";
import { queryBoolean } from "../../../../api/schemas.ts";
import type { Act } from "../../../../core/access.ts";
import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import { composed, edited } from "../../../common/mail/message.ts";
import { billingMailPreviewInput, mailPreview } from "../../../common/mail/schema.ts";
import { sampleBillingMessage } from "../invoices/mail-messages.ts";
import type { PaymentServices } from "../payments/interface.ts";
import { paymentProvider, paymentProviderInput } from "../payments/provider-schema.ts";
import {
  type ChosenProvider,
  changeProvider,
  findProvider,
  modeNamed,
  presentProvider,
  revisionOfProvider,
} from "../payments/providers.ts";
import { billingProfile, billingProfileInput } from "../schemas/settings-schema.ts";
import { findProfile, presentProfile, revisionOfProfile, setProfile } from "../settings/settings.ts";

const profilePath = "/v1/accounts/{accountName}/billing-profile";
const providerPath = "/v1/accounts/{accountName}/payment-provider/{mode}";

export interface SettingsOptions {
  keyring: Keyring;
  /** The address of this server, without a trailing slash. */
  publicUrl(): string;
  payments: PaymentServices;
}

export function settingsRoutes({ keyring, publicUrl, payments }: SettingsOptions) {
  const reply = (act: Act, provider: ChosenProvider) => {
    const path = providerPath.replace("{accountName}", act.account.name).replace("{mode}", provider.mode);
    // Whatever the type is: the webhook endpoint of a provider has to exist before its credentials are known.
    const webhookUrl = `${publicUrl()}${path}/events`;
    return { body: { ...presentProvider(provider), webhookUrl }, revision: revisionOfProvider(act, provider) };
  };
  return [
    read({
      operationId: "getBillingProfile",
      path: profilePath,
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
      summary: "Set the billing profile of an account",
      description: "Drafts that waited for it are finalized within seconds. Invoices keep the profile of their time.",
      access: "bill",
      body: billingProfileInput,
      response: billingProfile,
      handle: async ({ act, body, precondition }, transaction) => {
        const row = await setProfile(transaction, act, body, precondition);
        return { body: presentProfile(row), revision: revisionOfProfile(act, row) };
      },
    }),
    read({
      operationId: "previewBillingMail",
      method: "POST",
      path: `${profilePath}/$preview-mail`,
      summary: "Preview a mail to customers of buckets without a portal",
      description: "With invented data. Changes and sends nothing.",
      access: "read",
      body: billingMailPreviewInput,
      response: mailPreview,
      handle: async ({ account, act, body: { kind, ...texts } }) => ({
        body: composed(account.name, edited(sampleBillingMessage(kind, account.name, act.now), texts)),
      }),
    }),
    read({
      operationId: "getPaymentProvider",
      path: providerPath,
      summary: "Read how invoices are paid",
      description: "`mode` is `live`, or `test` for test buckets.",
      access: "read",
      response: paymentProvider,
      handle: async ({ reads, act, account, params }) => {
        return reply(act, await findProvider(reads, account.seq, modeNamed(params.mode)));
      },
    }),
    write({
      operationId: "setPaymentProvider",
      method: "PUT",
      path: providerPath,
      summary: "Set how invoices are paid",
      description:
        "Applies to invoices that are finalized or collected from now on. Another type than `stripe` erases the keys of Stripe. Returns 409 " +
        "while Stripe has invoices that are not finished.",
      access: "administer",
      query: z.object({
        force: queryBoolean
          .default(false)
          .meta({ description: "Also while Stripe has unfinished invoices, which it keeps charging for." }),
      }),
      body: paymentProviderInput,
      response: paymentProvider,
      problems: ["collections_unfinished"],
      handle: async ({ act, params, query, body, precondition }, transaction) => {
        const change = { keyring, payments, precondition, force: query.force };
        return reply(act, await changeProvider(transaction, act, modeNamed(params.mode), body, change));
      },
    }),
  ];
}
