import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { PortalCreditOverview } from "../../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../../components/button.tsx";
import { FormDialog } from "../../../components/dialog.tsx";
import { bindInput, Checkbox, SelectField, TextField } from "../../../components/field.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { belowOf, formatMoney, suggestedBelow } from "../../../lib/format.ts";
import { call } from "../../queries/api.ts";
import { formatUnits } from "./units.ts";

/** Sets the credit that the automatic top-up buys, when it does so, and its limit. */
export default function EditTopUp({ credit, onClose }: { credit: PortalCreditOverview; onClose: () => void }) {
  const { packs, topUp, meters, taxBehavior } = credit;
  const current = packs.find(({ packExternalId }) => packExternalId === topUp?.packExternalId);
  const [name, setName] = useState((current ?? packs[0])?.packExternalId ?? "");
  const [below, setBelow] = useState(String((current && topUp?.below) ?? suggestedBelow(packs[0])));
  const [maximum, setMaximum] = useState(topUp?.maximumPerMonth ?? "");
  const [isEnabled, setEnabled] = useState(topUp ? topUp.isEnabled || topUp.stopped !== undefined : true);
  const pack = packs.find(({ packExternalId }) => packExternalId === name);
  const save = useMutation({
    mutationFn: (change: "save" | "remove") =>
      call("updatePortalCredit", {
        body: {
          topUp:
            change === "remove"
              ? null
              : { packExternalId: name, below: belowOf(pack, below), maximumPerMonth: maximum.trim(), isEnabled },
        },
      }),
    onSuccess: onClose,
  });
  const errors = fieldErrors(save.error);
  const unit = pack && (pack.grant.currency ?? meters[pack.grant.meter!] ?? pack.grant.meter);
  const price = pack && formatMoney(pack.price.amount, pack.price.currency);
  const isTooLow = pack !== undefined && maximum.trim() !== "" && Number(maximum) < Number(pack.price.amount);
  return (
    <FormDialog
      title="Automatic top-up"
      mutation={save}
      submit="Save top-up"
      disabled={!pack}
      onClose={onClose}
      blocksClosing
      onSubmit={() => save.mutate("save")}
      footStart={
        topUp && (
          <Button kind="danger" disabled={save.isPending} onClick={() => save.mutate("remove")}>
            Remove top-up
          </Button>
        )
      }
    >
      <SelectField
        label="Buy"
        value={name}
        error={errorAt(errors, "/topUp/packExternalId")}
        options={packs.map((each) => ({
          value: each.packExternalId,
          label: `${each.label}, ${formatMoney(each.price.amount, each.price.currency)}`,
        }))}
        onChange={(event) => {
          setName(event.target.value);
          setBelow(String(suggestedBelow(packs.find(({ packExternalId }) => packExternalId === event.target.value))));
        }}
      />
      <TextField
        label={`When less is left than, in ${unit}`}
        hint={pack && `Less than the ${formatUnits(pack.grant, pack.grant.amount, meters)} that it buys.`}
        inputMode="decimal"
        {...bindInput(below, setBelow, errorAt(errors, "/topUp/below"))}
      />
      <TextField
        label={`At most in a month, in ${pack?.price.currency}`}
        hint={`With tax. One top-up costs ${price}${taxBehavior === "exclusive" ? " plus tax" : ""}.`}
        inputMode="decimal"
        {...bindInput(maximum, setMaximum)}
        error={
          errorAt(errors, "/topUp/maximumPerMonth") ??
          (isTooLow ? `is less than the price of ${price}: nothing would be bought` : undefined)
        }
      />
      <Checkbox
        label="Turned on"
        hint="It is turned off if a payment fails."
        checked={isEnabled}
        onChange={(event) => setEnabled(event.target.checked)}
      />
    </FormDialog>
  );
}
