/** "Did you mean": the known word nearest to one that nobody knows. */
import leven from 'leven';

/**
 * The nearest of `known` by edit distance, upper case and underscores set aside (`timeBudget`, `time_budget`);
 * null when none is near enough to be a slip of the hand.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  const plain = word
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of known) {
    const distance = leven(plain, name.toLowerCase());
    if (best === null || distance < best.distance) best = { name, distance };
  }
  if (best === null) return null;
  // Two letters that changed places count as two edits.
  const reach = Math.max(1, Math.ceil(Math.max(plain.length, best.name.length) / 3));
  return best.distance <= reach ? best.name : null;
}
