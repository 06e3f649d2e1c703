#!/usr/bin/python3
"""Validates JSON documents, one a line, against a JSON Schema.

validate_json.py SCHEMA FILE                 exit status 1 and the place of the first error when a document is not valid
validate_json.py --self-check SCHEMA FILE... breaks the documents in every way that the schema should notice, and fails
                                             where it does not; so a schema that allows everything is found out

Stricter than a JSON parser has to be: a member twice in one object is an error, as are NaN and an empty file.
"""

import collections
import copy
import json
import sys

import jsonschema


def no_member_twice(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"a member stands twice: {next(name for name in names if names.count(name) > 1)}")
    return members


def no_constant(word):
    raise ValueError(f"{word} is no JSON")


def parse(text):
    return json.loads(text, object_pairs_hook=no_member_twice, parse_constant=no_constant)


def validator_of(schema_path):
    with open(schema_path, encoding="utf-8") as file:
        schema = parse(file.read())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def place_of(error):
    """Of the error itself, not of the choice that failed because of it: oneOf and the like say little."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)


def numbers_that_lead_nowhere(stacks, at):
    """What a schema cannot say: each number is the place of something in another array."""
    sizes = {name: len(stacks[name]) for name in ("processes", "modules", "frames", "stacks")}

    def missing(where, number, of):
        if isinstance(number, int) and number >= sizes[of]:
            yield f"{at}.{where}: there is no {number} in {of}"

    for i, frame in enumerate(stacks["frames"]):
        yield from missing(f"frames[{i}].module", frame.get("module"), "modules")
        yield from missing(f"frames[{i}].process", frame.get("process"), "processes")
    for i, stack in enumerate(stacks["stacks"]):
        for number in stack:
            yield from missing(f"stacks[{i}]", number, "frames")
    for i, row in enumerate(stacks["rows"]):
        yield from missing(f"rows[{i}].process", row["process"], "processes")
        yield from missing(f"rows[{i}].user", row.get("user"), "stacks")
        yield from missing(f"rows[{i}].kernel", row.get("kernel"), "stacks")
    for total, part in (("total_value", "value"), ("total_samples", "samples")):
        if stacks[total] != sum(row[part] for row in stacks["rows"]):
            yield f"{at}.{total}: is not the sum of the rows"


def faults_in_stacks(stacks, at):
    yield from numbers_that_lead_nowhere(stacks, at)
    yield from ends_that_do_not_add_up(stacks, at)
    yield from stacks_that_stand_twice(stacks, at)


def stacks_that_stand_twice(stacks, at):
    """Rows of the same frames with other ends name the same stack."""
    first = {}
    for i, stack in enumerate(stacks["stacks"]):
        place = first.setdefault(tuple(stack), i)
        if place != i:
            yield f"{at}.stacks[{i}]: stands at {place}, too"


def ends_that_do_not_add_up(stacks, at):
    """A row that has a stack and does not tell its end has an unknown one; no end is told where all are unknown."""
    counted = collections.Counter()
    for i, row in enumerate(stacks["rows"]):
        if isinstance(row.get("user"), int):
            counted[row.get("user_end", "unknown")] += row["samples"]
        elif "user_end" in row:
            yield f"{at}.rows[{i}].user_end: is the end of no stack"
    told = {end: samples for end, samples in counted.items() if samples != 0}
    if told.keys() == {"unknown"}:
        told = {}
    if stacks.get("user_stack_ends", {}) != told:
        yield f"{at}.user_stack_ends: is not the sum of the rows"


def faults_in(document, validator):
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    if error is not None:
        yield f"{place_of(error)}: {error.message[:300]}"
        return
    ebpf = document.get("ebpf", {})
    if "profile" in ebpf:
        yield from faults_in_stacks(ebpf["profile"], "$.ebpf.profile")
    if "offcpu" in ebpf:
        yield from faults_in_stacks(ebpf["offcpu"]["stack_traces"], "$.ebpf.offcpu.stack_traces")


def documents_of(path):
    """Each with the number of its line. Text that is not UTF-8 is an error, as is a last line without its end."""
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    if lines.pop() != b"":
        raise ValueError(f"{path}: the last line has no end")
    if not lines:
        raise ValueError(f"{path}: there is no document")
    for number, line in enumerate(lines, 1):
        try:
            yield number, parse(line.decode("utf-8"))
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from error


def is_sound(document, validator):
    return validator.is_valid(document) and next(faults_in(document, validator), None) is None


def validate(validator, path):
    for number, document in documents_of(path):
        for fault in faults_in(document, validator):
            raise ValueError(f"{path}:{number}: {fault}")


def inner(value):
    """The objects and arrays in it, itself included, as paths of keys."""
    todo = [()]
    while todo:
        path = todo.pop()
        at = value
        for step in path:
            at = at[step]
        if isinstance(at, (dict, list)):
            yield path, at
            steps = list(at) if isinstance(at, dict) else range(min(len(at), 5))
            todo.extend((*path, step) for step in steps)


def broken(document):
    """What it is broken by, and the document while it is: it is mended when the next is asked for."""
    for path, at in list(inner(document)):
        name = "/".join(map(str, path))
        if isinstance(at, dict):
            at["no such member"] = 1
            yield f"{name}: one member more", document
            del at["no such member"]
        for step in list(at) if isinstance(at, dict) else range(min(len(at), 3)):
            for instead in (None, {"a": 1}, -1, 2**65):
                if instead == 2**65 and isinstance(at[step], float):
                    continue  # a number without an end
                sound, at[step] = at[step], instead
                yield f"{name}/{step}: {instead}", document
                at[step] = sound


def required_members(document):
    """Those that every document has, and those that each of a kind has."""
    yield from ((name,) for name in ("profile", "ebpf"))
    yield from (("account", name) for name in document["account"])
    for kind in ("offcpu", "syscalls", "profile"):
        yield from (("ebpf", kind, name) for name in document["ebpf"].get(kind, ()))


def self_check(validator, path):
    """How many broken documents were told from the sound one."""
    rejected = 0
    for number, document in documents_of(path):
        for how, wrong in broken(document):
            if is_sound(wrong, validator):
                raise ValueError(f"{path}:{number}: the schema allows {how}")
            rejected += 1
        for steps in required_members(document):
            wrong = copy.deepcopy(document)
            at = wrong
            for step in steps[:-1]:
                at = at[step]
            del at[steps[-1]]
            if is_sound(wrong, validator):
                raise ValueError(f"{path}:{number}: the schema does not ask for {'/'.join(steps)}")
            rejected += 1
    return rejected


def loose_ends(schema, path="#"):
    """Parts of the schema that describe nothing or allow anything."""
    if isinstance(schema, list):
        for i, item in enumerate(schema):
            yield from loose_ends(item, f"{path}/{i}")
        return
    if not isinstance(schema, dict):
        return
    if "properties" in schema and "type" in schema:
        if schema.get("additionalProperties") is not False:
            yield f"{path}: allows members that it does not name"
        for name, of in schema["properties"].items():
            if "description" not in of:
                yield f"{path}/properties/{name}: is not described"
    for name, of in schema.items():
        yield from loose_ends(of, f"{path}/{name}")


def main(arguments):
    checks_itself = arguments[:1] == ["--self-check"]
    arguments = arguments[checks_itself:]
    if len(arguments) < 2 or (not checks_itself and len(arguments) != 2):
        sys.exit(__doc__)
    try:
        validator = validator_of(arguments[0])
        if not checks_itself:
            validate(validator, arguments[1])
            return
        for end in loose_ends(validator.schema):
            raise ValueError(f"{arguments[0]}: {end}")
        for path in arguments[1:]:
            print(f"{path}: {self_check(validator, path)} broken documents rejected")
    except (OSError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
