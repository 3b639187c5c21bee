import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Tollgate } from "../../../../client/index.ts";
import { unusedExternalId } from "../../../../client/unused-external-id.ts";
import { FormDialog } from "../../../components/dialog.tsx";
import { bindForm, optionsOf, SelectField, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { fromLocalInput } from "../../../lib/format.ts";
import { useIsUnknownConsumer } from "../../components/consumer-link.tsx";
import { useSession } from "../../queries/session.tsx";
import { useSettled } from "../../queries/use-settled.ts";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { type Status, statusOptions } from "./change-status.tsx";
import { PlanChoice } from "./plan-choice.tsx";
import { usePlans } from "./plans.ts";

const regions = ["us-central1", "us-east1", "europe-west4"] as const;

/** The external id of the customer's next subscription, unless another is typed. */
const defaultExternalId = (api: Tollgate, bucket: string, customerKey: string) =>
  queryOptions({
    queryKey: ["subscriptions", bucket, "default external id", customerKey],
    queryFn: async ({ signal }) =>
      unusedExternalId(customerKey, await api.subscriptions(bucket).list({ customerKey, signal }).all()),
    staleTime: 0,
  });

interface Props {
  bucket: string;
  customer?: string | undefined;
  onClose: () => void;
  onCreated: (id: string) => void;
}

export function NewSubscription({ bucket, customer, onClose, onCreated }: Props) {
  const { api } = useSession();
  const queries = useQueryClient();
  const plans = usePlans(bucket);
  const [form, setForm] = useState({
    customerKey: customer ?? "",
    subscriptionExternalId: "",
    customerExternalId: "",
    status: "active",
    renewalStrategy: "monthly",
    region: "us-central1",
    anchor: "",
  });
  const [selected, setSelected] = useState<string[]>();
  const onlyPlan = plans.data?.length === 1 ? [plans.data[0]!.planExternalId] : [];
  const chosen = selected ?? onlyPlan;
  const settled = useSettled(form.customerKey);
  const unused = useQuery({ ...defaultExternalId(api, bucket, settled), enabled: settled.trim() !== "" });
  const externalId = settled === form.customerKey ? (unused.data ?? form.customerKey) : form.customerKey;
  const isUnknown = useIsUnknownConsumer(form.customerKey);
  const wanted = chosen.flatMap((id) => plans.data?.find(({ planExternalId }) => planExternalId === id) ?? []);
  const subscription = {
    planIds: wanted.map(({ id }) => id),
    planExternalIds: wanted.map(({ planExternalId }) => planExternalId),
    status: form.status as Status,
    type: "periodic" as const,
    renewalStrategy: form.renewalStrategy as "monthly",
    region: form.region as (typeof regions)[number],
    customerKey: form.customerKey,
    subscriptionExternalId: form.subscriptionExternalId || externalId,
    customerExternalId: form.customerExternalId || form.customerKey,
    quotaResetAnchor: fromLocalInput(form.anchor),
  };
  const create = useCall({
    call: async (api) => {
      const { customerKey, subscriptionExternalId: typed } = form;
      // Created before the suggestion is there, or after another subscription.
      const id = typed || (customerKey && (await queries.fetchQuery(defaultExternalId(api, bucket, customerKey))));
      return api.subscriptions(bucket).create({ ...subscription, subscriptionExternalId: id });
    },
    done: ({ customerKey }) => `${customerKey} subscribed`,
    onSuccess: ({ id }) => onCreated(id),
  });
  const { field } = bindForm(form, setForm, create.errors);
  const planError = errorAt(create.errors, "/planIds") ?? errorAt(create.errors, "/planExternalIds");
  return (
    <FormDialog
      title="Create subscription"
      isWide
      mutation={create}
      submit="Create subscription"
      onClose={onClose}
      footStart={<CopyAs call={(api) => api.subscriptions(bucket).create(subscription)} />}
    >
      <TextField
        label="Customer key"
        isMono
        placeholder="acme"
        hint="The consumer's name: gateways count its requests here."
        {...field("customerKey")}
      />
      {isUnknown && (
        <Notice kind="warning">
          There is no consumer named {form.customerKey}. The subscription can be created; no request counts until there
          is one.
        </Notice>
      )}
      {plans.data?.length === 0 ? (
        <Notice kind="warning">
          There is no plan yet. <Link to="/plans">Create one</Link> first.
        </Notice>
      ) : (
        <PlanChoice plans={plans.data ?? []} chosen={chosen} error={planError} onChange={setSelected} />
      )}
      <div className="form-grid">
        <SelectField label="Status" options={statusOptions} {...field("status")} />
        <SelectField
          label="Renews"
          options={optionsOf({ monthly: "Monthly", yearly: "Yearly" })}
          {...field("renewalStrategy")}
        />
        <TextField
          label="Subscription's external id"
          isMono
          isOptional
          placeholder={externalId}
          hint="In your billing system. By default the customer key, with a number if that is in use."
          {...field("subscriptionExternalId")}
        />
        <TextField
          label="Customer's external id"
          isMono
          isOptional
          placeholder={form.customerKey}
          hint="In your billing system. By default the customer key."
          {...field("customerExternalId")}
        />
        <SelectField label="Region" options={optionsOf(regions)} {...field("region")} />
        <TextField
          label="Periods are counted from"
          type="datetime-local"
          isOptional
          {...field("anchor")}
          error={errorAt(create.errors, "/quotaResetAnchor")}
        />
      </div>
    </FormDialog>
  );
}
