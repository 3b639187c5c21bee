import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { etagOf, type PaymentProvider } from "../../../../../client/index.ts";
import { Button } from "../../../../components/button.tsx";
import { SelectField } from "../../../../components/field.tsx";
import { LoadError } from "../../../../components/notice.tsx";
import { Skeleton } from "../../../../components/skeleton.tsx";
import { toast } from "../../../../components/toast.tsx";
import { SaveError } from "../../../queries/conflict.tsx";
import { useSession } from "../../../queries/session.tsx";

type Type = PaymentProvider["type"];

const labels: Record<Type, string> = {
  manual: "Manual: you mark invoices as paid",
  sandbox: "Sandbox: no money moves, for tests",
  stripe: "Stripe",
};

const titles = { live: "Live invoices", test: "Invoices of test buckets" };

export function ProviderForm({ mode }: { mode: PaymentProvider["mode"] }) {
  const { api } = useSession();
  const provider = useQuery({
    queryKey: ["payment-provider", mode],
    queryFn: ({ signal }) => api.billing.provider(mode, { signal }),
  });
  if (provider.error) return <LoadError error={provider.error} onRetry={() => provider.refetch()} />;
  if (!provider.data) return <Skeleton width={320} />;
  return <Form provider={provider.data} />;
}

function Form({ provider }: { provider: PaymentProvider }) {
  const { api, deniedAdminister } = useSession();
  const queries = useQueryClient();
  const { mode } = provider;
  const [before, setBefore] = useState(provider);
  const [type, setType] = useState<Type>(provider.type);
  const save = useMutation({
    mutationFn: (base: PaymentProvider) => api.billing.setProvider(mode, type, { ifMatch: etagOf(base) }),
    onSuccess: (saved) => {
      setBefore(saved);
      queries.setQueryData(["payment-provider", mode], saved);
      toast("Payment provider saved");
    },
  });
  // The secrets of Stripe are set by the CLI: they are never shown in a page.
  const types = (["manual", "sandbox", "stripe"] as const).filter(
    (each) => each !== "stripe" || provider.type === each,
  );
  return (
    <form
      className="stack stack-tight"
      aria-label={titles[mode]}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(before);
      }}
    >
      <SaveError
        error={save.error}
        load={() => api.billing.provider(mode)}
        fields={(theirs) => [{ label: "Provider", theirs: labels[theirs.type], mine: labels[type] }]}
        onTheirs={(theirs) => {
          setBefore(theirs);
          setType(theirs.type);
          save.reset();
        }}
        onMine={(theirs) => {
          setBefore(theirs);
          save.mutate(theirs);
        }}
      />
      <SelectField
        label={titles[mode]}
        value={type}
        hint="Applies to invoices that are finalized or collected from now on."
        options={types.map((value) => ({ value, label: labels[value] }))}
        onChange={(event) => setType(event.target.value as Type)}
      />
      <div>
        <Button type="submit" isBusy={save.isPending} denied={deniedAdminister}>
          Save provider
        </Button>
      </div>
    </form>
  );
}
