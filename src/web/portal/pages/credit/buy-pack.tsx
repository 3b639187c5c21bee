import { useMutation } from "@tanstack/react-query";
import type { PortalBoughtPack, PortalCreditOverview } from "../../../../client/transport/portal-schema.gen.ts";
import { Amounts } from "../../../components/amounts.tsx";
import { FormDialog } from "../../../components/dialog.tsx";
import { SkeletonLines } from "../../../components/notice.tsx";
import { formatMoney, formatUtcDay } from "../../../lib/format.ts";
import { call, useRead } from "../../queries/api.ts";
import { useBuyer } from "../billing-details.tsx";
import type { Pack } from "./units.ts";

interface BuyPackProps {
  pack: Pack;
  credit: PortalCreditOverview;
  onClose: () => void;
  onBought: (state: PortalBoughtPack["state"]) => void;
}

/** What credit costs with tax, and who is charged, before anything is confirmed. */
export function BuyPack({ pack, credit: { paysOnline, paymentMethod }, onClose, onBought }: BuyPackProps) {
  const body = { packExternalId: pack.packExternalId };
  const preview = useRead("previewPortalPack", { body, staleTime: 0 });
  const buyer = useBuyer(true);
  const buy = useMutation({
    mutationFn: async () => {
      await buyer.save();
      return call("buyPortalPack", { body });
    },
    onSuccess: ({ state, url }) => (url === undefined ? onBought(state) : window.location.assign(url)),
  });
  const shown = preview.data;
  const total = shown && formatMoney(shown.invoice.total, shown.invoice.currency);
  return (
    <FormDialog
      title={`Buy ${pack.label}`}
      mutation={{ ...buy, error: buy.error ?? preview.error }}
      submit={!paysOnline ? `Buy ${pack.label}` : paymentMethod && total ? `Pay ${total}` : "Continue to payment"}
      disabled={!shown}
      onClose={onClose}
      blocksClosing
    >
      {shown ? (
        <div className="stack stack-tight">
          <p>
            {!paysOnline
              ? "You get an invoice that says how to pay. The credit is added once it is paid."
              : paymentMethod
                ? `${paymentMethod.label} is charged now.`
                : "You pay on the next page. The credit is added once it is paid."}
            {shown.expiresOn && ` If it is paid today, it can be used until ${formatUtcDay(shown.expiresOn)}.`}
          </p>
          <Amounts invoice={shown.invoice} due={paysOnline ? "Due now" : "Due"} />
          {buyer.fields}
        </div>
      ) : (
        !preview.error && <SkeletonLines />
      )}
    </FormDialog>
  );
}
