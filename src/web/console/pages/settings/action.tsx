import { Button, type ButtonProps } from "../../../components/button.tsx";

type ActionProps = Pick<ButtonProps, "icon" | "denied" | "onClick"> & { label: string };

/** An action on a row of a table, as an icon. */
export const Action = ({ label, ...button }: ActionProps) => (
  <Button {...button} kind="quiet" isSmall isIcon aria-label={label} title={label} />
);
