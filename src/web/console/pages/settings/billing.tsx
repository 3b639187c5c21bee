import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { etagOf, type PaymentProvider } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { SelectField, TextField } from "../../../components/field.tsx";
import { Form } from "../../../components/form.tsx";
import { LoadError, Notice, Skeleton, SkeletonLines } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt } from "../../../lib/errors.ts";
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
        {profile.error ? (
          <LoadError error={profile.error} onRetry={() => profile.refetch()} />
        ) : profile.data === undefined ? (
          <SkeletonLines />
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
  if (provider.error) return <LoadError error={provider.error} onRetry={() => provider.refetch()} />;
  if (!provider.data) return <Skeleton width={320} />;
  return <StoredProviderForm provider={provider.data} />;
}

function StoredProviderForm({ provider }: { provider: PaymentProvider }) {
  const { api, deniedAdminister } = useSession();
  const queries = useQueryClient();
  const { mode } = provider;
  const [before, setBefore] = useState(provider);
  const [type, setType] = useState<Type>(provider.type);
  const [secretKey, setSecretKey] = useState("");
  const [webhookSecret, setWebhookSecret] = useState("");
  const given =
    type === "stripe" ? { ...(secretKey ? { secretKey } : {}), ...(webhookSecret ? { webhookSecret } : {}) } : {};
  const save = useCall({
    call: (api, base: PaymentProvider) => api.billing.setProvider(mode, type, { ...given, ifMatch: etagOf(base) }),
    onSuccess: (saved) => {
      // They are not shown again.
      setSecretKey("");
      setWebhookSecret("");
      setBefore(saved);
      queries.setQueryData(["payment-provider", mode], saved);
      toast("Payment provider saved");
    },
  });
  const isStored = before.type === "stripe";
  const stays = isStored ? "One is stored. Leave this empty to keep it." : undefined;
  return (
    <Form className="stack stack-tight" aria-label={titles[mode]} onSubmit={() => save.mutate(before)}>
      <SaveError
        save={save}
        onBefore={setBefore}
        load={() => api.billing.provider(mode)}
        fields={(theirs) => [{ label: "Provider", theirs: labels[theirs.type], mine: labels[type] }]}
        onTheirs={(theirs) => setType(theirs.type)}
      />
      <SelectField
        label={titles[mode]}
        value={type}
        hint="Applies to invoices that are finalized or collected from now on."
        options={Object.entries(labels).map(([value, label]) => ({ value, label }))}
        onChange={(event) => setType(event.target.value as Type)}
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
            value={secretKey}
            error={errorAt(save.errors, "/secretKey")}
            onChange={(event) => setSecretKey(event.target.value.trim())}
          />
          <TextField
            label={`Signing secret of the webhook endpoint (${mode})`}
            isMono
            type="password"
            isOptional={isStored}
            placeholder="whsec_…"
            hint={stays}
            value={webhookSecret}
            error={errorAt(save.errors, "/webhookSecret")}
            onChange={(event) => setWebhookSecret(event.target.value.trim())}
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
