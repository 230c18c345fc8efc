/** Days and moments as text: whether the calendar has them. Pure. */

/** `2027-01-31`, and a day that the calendar has: 2027-02-30 is none. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** `2027-01-31T08:00:00.000Z`, as `Date.toISOString` writes it; fractions of a second may be missing. */
export function isMoment(text: string): boolean {
  const match = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/.exec(text);
  return match !== null && isDay(match[1]!);
}
