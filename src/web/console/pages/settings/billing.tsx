import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { etagOf, type PaymentProvider } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { bindForm, optionsOf, SelectField, TextField } from "../../../components/field.tsx";
import { Form } from "../../../components/form.tsx";
import { LoadError, Notice, NotLoaded, Skeleton } from "../../../components/notice.tsx";
import { billingProfile } from "../../queries/billing-profile.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { SaveError } from "../../shell/edit-dialog.tsx";
import { Section } from "../../shell/page.tsx";
import { AsCommand, useCall } from "../../shell/requests.tsx";
import { ProfileForm } from "./billing-profile-form.tsx";

/** The seller that invoices name, and how they are paid. */
export function BillingSettings() {
  const { api } = useSession();
  const profile = useQuery(billingProfile(api));
  return (
    <>
      <Section title="Billing profile" actions={<AsCommand call={(api) => api.billing.profile()} />}>
        {profile.error || profile.data === undefined ? (
          <NotLoaded of={profile} />
        ) : (
          <div className="stack">
            {profile.data === null && (
              <Notice>
                Invoices name a seller. They stay drafts until the profile is set, and are finalized then.
              </Notice>
            )}
            <ProfileForm profile={profile.data} />
          </div>
        )}
      </Section>
      <div data-unplaced={profile.isPending || undefined}>
        <Section title="Payment providers">
          <div className="stack">
            <ProviderForm mode="live" />
            <ProviderForm mode="test" />
          </div>
        </Section>
      </div>
    </>
  );
}

type Type = PaymentProvider["type"];

const labels: Record<Type, string> = {
  manual: "Manual: you mark invoices as paid",
  sandbox: "Sandbox: no money moves, for tests",
  stripe: "Stripe",
};

const titles = { live: "Live invoices", test: "Invoices of test buckets" };

function ProviderForm({ mode }: { mode: PaymentProvider["mode"] }) {
  const provider = useRead(["payment-provider", mode], (api, { signal }) => api.billing.provider(mode, { signal }));
  if (provider.error) return <LoadError error={provider.error} />;
  if (!provider.data) return <Skeleton width={320} />;
  return <StoredProviderForm provider={provider.data} />;
}

/** Secrets are not shown again. */
const formOf = ({ type }: PaymentProvider) => ({ type, secretKey: "", webhookSecret: "" });

function StoredProviderForm({ provider }: { provider: PaymentProvider }) {
  const { api, deniedAdminister } = useSession();
  const queries = useQueryClient();
  const { mode } = provider;
  const [before, setBefore] = useState(provider);
  const [form, setForm] = useState(() => formOf(provider));
  const { type, secretKey, webhookSecret } = form;
  const given =
    type === "stripe" ? { secretKey: secretKey || undefined, webhookSecret: webhookSecret || undefined } : {};
  const save = useCall({
    call: (api, base: PaymentProvider) => api.billing.setProvider(mode, type, { ...given, ifMatch: etagOf(base) }),
    done: "Payment provider saved",
    onSuccess: (saved) => {
      setForm(formOf(saved));
      setBefore(saved);
      queries.setQueryData(["payment-provider", mode], saved);
    },
  });
  const { field } = bindForm(form, setForm, save.errors, { isTrimmed: true });
  const isStored = before.type === "stripe";
  const stays = isStored ? "One is stored. Leave this empty to keep it." : undefined;
  return (
    <Form className="stack stack-tight" aria-label={titles[mode]} onSubmit={() => save.mutate(before)}>
      <SaveError
        save={save}
        onBefore={setBefore}
        load={() => api.billing.provider(mode)}
        fields={(theirs) => [{ label: "Provider", theirs: labels[theirs.type], mine: labels[type] }]}
        onTheirs={(theirs) => setForm({ ...form, type: theirs.type })}
      />
      <SelectField
        label={titles[mode]}
        hint="Applies to invoices that are finalized or collected from now on."
        options={optionsOf(labels)}
        {...field("type")}
      />
      {type === "stripe" && (
        <>
          <p className="muted">
            In Stripe, add a webhook endpoint for <code className="wrap-anywhere">{before.webhookUrl}</code> with the
            events invoice.*, checkout.session.completed, customer.updated and payment_method.*
          </p>
          <TextField
            label={`Secret key (${mode})`}
            isMono
            type="password"
            isOptional={isStored}
            placeholder={`rk_${mode}_…`}
            hint={stays ?? "A restricted or secret key. It is stored encrypted, and never shown again."}
            {...field("secretKey")}
          />
          <TextField
            label={`Signing secret of the webhook endpoint (${mode})`}
            isMono
            type="password"
            isOptional={isStored}
            placeholder="whsec_…"
            hint={stays}
            {...field("webhookSecret")}
          />
        </>
      )}
      <div>
        <Button type="submit" isBusy={save.isPending} denied={deniedAdminister}>
          Save provider
        </Button>
      </div>
    </Form>
  );
}
