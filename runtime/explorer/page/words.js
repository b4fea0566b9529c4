// Requests as words: what the form holds, and the line that the command line takes.

const PLAIN = /^[\w@%+=:,.\/*-]+$/;

export function quoted(word) {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

// The words of a line as a shell divides it; null if a quotation is not closed.
export function split(line) {
  const words = [];
  let word = null, quote = "";
  for (let at = 0; at < line.length; at++) {
    const letter = line[at];
    if (quote) {
      if (letter === quote) quote = "";
      else if (quote === '"' && letter === "\\" && '"\\'.includes(line[at + 1])) word += line[++at];
      else word += letter;
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      word ??= "";
    } else if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (letter === "\\" && at + 1 < line.length) {
      word = (word ?? "") + line[++at];
    } else {
      word = (word ?? "") + letter;
    }
  }
  if (quote) return null;
  return word === null ? words : [...words, word];
}

// The kind and the values of its fields by name, or null if the form cannot show the line, which then stands alone.
export function read(line, kinds) {
  const words = split(line);
  const kind = words && kinds.find(each => each.name === words[0]);
  if (!kind) return null;
  const values = {}, positions = kind.fields.filter(field => !field.option);
  for (let at = 1; at < words.length; at++) {
    const [name, joined] = words[at].startsWith("--") ? words[at].split(/=(.*)/s) : ["", undefined];
    const field = name ? kind.fields.find(each => each.option === name) : positions.shift();
    if (!field) return null;
    if (field.switch) values[field.name] = true;
    else {
      const value = name ? joined ?? words[++at] : words[at];
      if (value === undefined) return null;
      values[field.name] = field.several && values[field.name] ? `${values[field.name]} ${value}` : value;
    }
  }
  return { kind, values };
}

// The line of a kind and the values of its fields. Empty fields and those at their defaults are left out.
export function written(kind, values) {
  const words = [kind.name];
  for (const field of kind.fields) {
    const value = values[field.name];
    if (!value || (field.option && value === field.default)) continue;
    if (field.switch) words.push(field.option);
    else if (field.several) for (const each of String(value).split(/\s+/)) words.push(field.option, quoted(each));
    else words.push(...(field.option ? [field.option] : []), quoted(String(value)));
  }
  return words.join(" ");
}
