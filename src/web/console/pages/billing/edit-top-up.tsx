import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type CreditPack, type Customer, etagOf } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog, FormDialog } from "../../../components/dialog.tsx";
import { bindForm, Checkbox, SelectField, TextField } from "../../../components/field.tsx";
import { LoadError, SkeletonLines } from "../../../components/notice.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { belowOf, formatMoney, suggestedBelow } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";
import { SaveError } from "../../shell/edit-dialog.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { formatCredits } from "./grants.tsx";
import { usePacks } from "./queries.ts";

interface Props {
  bucket: string;
  customer: Customer;
  onClose: () => void;
}

type TopUp = Customer["topUp"];

/** Sets the automatic top-up of a customer, or removes it. */
export function EditTopUp(props: Props) {
  const packs = usePacks(props.bucket);
  if (packs.data && packs.data.length > 0) return <TopUpForm {...props} packs={packs.data} />;
  return (
    <Dialog title={`Automatic top-up of ${props.customer.customerKey}`} onClose={props.onClose}>
      {packs.error ? (
        <LoadError error={packs.error} />
      ) : packs.data ? (
        <p>
          A top-up buys a credit pack when little credit is left, and the bucket has none.{" "}
          <Link to="/billing" search={{ bucket: props.bucket, tab: "packs", new: true }}>
            Create a credit pack
          </Link>
        </p>
      ) : (
        <SkeletonLines />
      )}
    </Dialog>
  );
}

/** The suggestions of the first pack, if there is no top-up or its pack was deleted. */
function formOf(topUp: TopUp, packs: CreditPack[]) {
  const current = packs.find(({ packExternalId }) => packExternalId === topUp?.packExternalId);
  return {
    packExternalId: (current ?? packs[0]!).packExternalId,
    below: String((current && topUp?.below) ?? suggestedBelow(packs[0])),
    maximumPerMonth: topUp?.maximumPerMonth ?? "",
    // A top-up that the server disabled is opened as enabled.
    isEnabled: topUp ? topUp.isEnabled || topUp.stopped !== undefined : true,
  };
}

const describe = (topUp: TopUp | null) =>
  topUp
    ? `${topUp.packExternalId} below ${topUp.below}, at most ${topUp.maximumPerMonth} in a month, ${topUp.isEnabled ? "on" : "off"}`
    : "None";

function TopUpForm({ bucket, customer, packs, onClose }: Props & { packs: CreditPack[] }) {
  const { api } = useSession();
  const [before, setBefore] = useState(customer);
  const [form, setForm] = useState(() => formOf(customer.topUp, packs));
  const { customerKey: key } = customer;
  const packOf = (name: string) => packs.find(({ packExternalId }) => packExternalId === name);
  const pack = packOf(form.packExternalId)!;
  const maximumPerMonth = form.maximumPerMonth.trim();
  const topUp = { ...form, below: belowOf(pack, form.below), maximumPerMonth };
  const save = useCall({
    call: (api, { base, topUp }: { base: Customer; topUp: Exclude<TopUp, undefined> | null }) =>
      api.customers(bucket).update(key, { topUp }, { ifMatch: etagOf(base) }),
    done: (_, { topUp: saved }) => (saved ? "Automatic top-up saved" : "Automatic top-up removed"),
    onSuccess: onClose,
  });
  const errors = save.errors;
  const { field, checkbox } = bindForm(form, setForm, errors, { at: "/topUp" });
  const price = formatMoney(pack.price.amount, pack.price.currency);
  const isTooLow = maximumPerMonth !== "" && Number(maximumPerMonth) < Number(pack.price.amount);
  return (
    <FormDialog
      title={`Automatic top-up of ${key}`}
      mutation={save}
      submit="Save top-up"
      hasOwnError
      onClose={onClose}
      onSubmit={() => save.mutate({ base: before, topUp })}
      footStart={
        <>
          <CopyAs of={save} value={{ base: before, topUp }} />
          {before.topUp && (
            <Button kind="danger" disabled={save.isPending} onClick={() => save.mutate({ base: before, topUp: null })}>
              Remove top-up
            </Button>
          )}
        </>
      }
    >
      <SaveError
        save={{ ...save, mutate: (base) => save.mutate({ base, topUp: save.variables?.topUp ?? null }) }}
        onBefore={setBefore}
        load={() => api.customers(bucket).get(key)}
        fields={(theirs) => [
          {
            label: "Automatic top-up",
            theirs: describe(theirs.topUp),
            mine: describe(save.variables?.topUp ?? null),
          },
        ]}
        onTheirs={(theirs) => setForm(formOf(theirs.topUp, packs))}
      />
      <p className="muted">
        Buys a credit pack with the payment method of {key} when little credit is left. {key} can change it in the
        portal.
      </p>
      <SelectField
        label="Buy"
        {...field("packExternalId")}
        options={packs.map((each) => ({
          value: each.packExternalId,
          label: `${each.label}, ${formatMoney(each.price.amount, each.price.currency)}`,
        }))}
        onChange={({ target: { value } }) =>
          setForm({ ...form, packExternalId: value, below: String(suggestedBelow(packOf(value))) })
        }
      />
      <TextField
        label={`When less is left than, in ${pack.grant.currency ?? pack.grant.meter}`}
        hint={`Less than the ${formatCredits(pack.grant, pack.grant.amount)} that it buys.`}
        inputMode="decimal"
        {...field("below")}
      />
      <TextField
        label={`At most in a month, in ${pack.price.currency}`}
        hint={`With tax. The price of one top-up is ${price}.`}
        inputMode="decimal"
        {...field("maximumPerMonth")}
        error={
          errorAt(errors, "/topUp/maximumPerMonth") ??
          (isTooLow ? `is less than the price of ${price}: nothing would be bought` : undefined)
        }
      />
      <Checkbox label="Turned on" hint="It is turned off if a payment fails." {...checkbox("isEnabled")} />
    </FormDialog>
  );
}
