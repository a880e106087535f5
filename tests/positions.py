"""Ways to reach a position, and the reference game written down as a row of the engine.

Shared by the tests that compare the two implementations and by those that need a certain table.
"""

from collections.abc import Iterator
from itertools import repeat

from reference import CIVILIZATIONS, DISASTERS, MONUMENTS, Auction, ReferenceGame

from ra_env import Game, Rules
from ra_env.layout import FACE_UP, FIELDS, State, suns_at

HELD_NAMES = ("god", "pharaoh", "nile", "flood", "gold", *CIVILIZATIONS, *MONUMENTS)
ALL_NAMES = ("ra", *HELD_NAMES, *DISASTERS)
PHASES = {"turn": 0, "gods": 1, "auction": 2, "discard": 3, "over": 4}
AUCTIONS = {"drawn": 1, "voluntary": 2, "full": 3}
NOTHING_SAID = [0] * 5


# --- playing -------------------------------------------------------------------------------------


def play_all(game: Game | ReferenceGame, *moves: str) -> None:
    """Play moves such as "draw nile", "bid 7" or "invoke", one after the other."""
    for move in moves:
        verb, _, what = move.partition(" ")
        if verb == "draw":
            game.play("draw", tile=what)
        else:
            game.play(move)


def draw_all(game: Game, **tiles: int) -> None:
    """Whoever is on turn draws: so many tiles of each kind come onto the track."""
    for tile, count in tiles.items():
        for _ in range(count):
            game.play("draw", tile=tile)


def win(game: Game, seat: int, **tiles: int) -> None:
    """Tiles are drawn, Ra is invoked, and `seat` wins the lot with its lowest sun; the others pass.

    The winner may then have to choose what to give up.
    """
    draw_all(game, **tiles)
    game.play("invoke")
    while game.phase == "auction":
        if game.current_seat == seat:
            game.play(next(move for move in game.legal_moves() if move.startswith("bid")))
        else:
            game.play("pass")


def pass_all(game: Game) -> None:
    """Everyone who is asked in the running auction passes."""
    while game.phase == "auction":
        game.play("pass")


def end_epoch(game: Game) -> None:
    """Ra tiles come until the epoch ends; nobody bids."""
    epoch = game.epoch
    while game.epoch == epoch and not game.is_over:
        game.play("draw", tile="ra")
        pass_all(game)


# --- the reference game --------------------------------------------------------------------------


def reference_game(rules: Rules, state: State) -> ReferenceGame:
    """The reference game of these rules, with the suns as they are dealt in `state`."""
    return ReferenceGame(
        [suns_at(state, FACE_UP + seat) for seat in range(rules.num_players)],
        middle_sun=rules.middle_sun,
        epochs=rules.epochs,
        ra_spaces=rules.ra_spaces,
        auction_spaces=rules.auction_spaces,
        bag=dict(zip(ALL_NAMES, rules.bag, strict=True)),
    )


def reference_row(game: ReferenceGame, last_auction: Auction | None) -> list[int]:
    """The reference game as the engine would write it.

    The engine keeps what was said in an auction until the winner has given up all tiles that have
    to go; the reference closes the auction before that, so the caller hands the last one in.
    """
    players = game.players
    empty = range(5 - len(players))
    row = [len(players), game.epochs, game.ra_spaces, game.auction_spaces, game.epoch]
    row += (game.ra_count, PHASES[game.phase], -1 if game.seat is None else game.seat)
    row += (game.middle_sun, sum(game.track.values()), sum(game.bag.values()))
    if game.phase == "auction" or (game.phase == "discard" and not game.has_spent_god):
        assert last_auction is not None
        row += _auction_fields(last_auction, game.turn_seat)
        said = [last_auction.bids.get(seat, 0) for seat in range(5)]
        bids = [-1 if bid is None else bid for bid in said]
    else:
        row += (0, -1, 0, -1)
        bids = NOTHING_SAID
    row += (game.owed.get("unrest", 0), game.owed.get("earthquake", 0))
    row += bids
    row += [_bit_set(player.face_up) for player in players]
    row += [0 for _ in empty]
    row += [_bit_set(player.face_down) for player in players]
    row += [0 for _ in empty]
    row += [player.score for player in players]
    row += [0 for _ in empty]
    for points in game.epoch_points:
        row += points
        row += [0 for _ in empty]
    row += [0] * (5 * (3 - len(game.epoch_points)))
    for player in players:
        row += map(player.tiles.get, HELD_NAMES, repeat(0))
    row += [0] * (len(HELD_NAMES) * len(empty))
    row += map(game.track.get, ALL_NAMES, repeat(0))
    row += map(game.bag.get, ALL_NAMES, repeat(0))
    return row


def _auction_fields(auction: Auction, ra_seat: int) -> tuple[int, int, int, int]:
    highest = auction.highest_bid
    leader = next((seat for seat, bid in auction.bids.items() if highest and bid == highest), -1)
    return AUCTIONS[auction.kind], ra_seat, highest, leader


def _bit_set(suns: set[int]) -> int:
    bits = sum(1 << (sun - 1) for sun in suns)
    return bits - ((bits & 0x8000) << 1)  # sun 16 is the sign of a 16-bit number


def differences(engine: list[int], reference: list[int]) -> Iterator[str]:
    """In words, every field in which two rows differ."""
    for field in FIELDS:
        span = slice(field.offset, field.offset + field.size)
        if engine[span] != reference[span]:
            yield f"{field.name}: engine {engine[span]}, reference {reference[span]}"
