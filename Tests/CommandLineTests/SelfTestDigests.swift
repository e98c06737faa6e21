/// The digests that `rheo selftest` prints, whatever the processor, the instruction set and the number of threads.
///
/// They say that another machine computes what those do that the engines were tried on. A change of an engine, a
/// renderer or a scene that is meant changes some of them. To renew them: build with optimisation, see that
/// `rheo selftest` prints the same with RHEO_CPU=baseline and RHEO_CPU=v3 and, if you can, `make arm64`; put its output
/// here, and say in the commit which parts have changed and why. A part that nobody meant to change is a defect.
enum SelfTestDigests {
  static let text = """
    63a350806cf886085096e419f69332eeb5b187b83d96c8053a19f8b719fdc2eb  scene
    f6279b037849bfbe1ff3588db626f3c5a96d6b3232c281e65695dcf6ca922cac  flow dis low
    a745953949aba5f7a500d3b01662e97293ae34a6eb40c32fa9f1b241c88596d0  flow farneback low
    9ba59178a9a354e52e0506e03fd60bbe91c69bf76efa5a9bfafa992f5e8ced81  flow lucas-kanade low
    87f3b52ac12c2a1952d11a07e4ce09a78228cbb4db1181addc570866aaee264b  flow dis medium
    5bab9dea49f5e3b3330ef152d50ad7f16112137dcbaa1b6c34af42677c23b077  flow farneback medium
    a9c5cd0cb85da1f0b557fec1da8d14cca8c5489bbe8d72b1e88144cd1ffadd6f  flow lucas-kanade medium
    213e7daea12c0d199681ad662933388fe4d6f72b8cbdaebe911cfe322dea04f6  flow dis high
    6895394e8ca9f12ee7702c525905d9221c4dda2c1f3538b5bdea1f69920f2372  flow farneback high
    b66efb90aa89ddf044c486bddcced90c03b5908ccdbc545cb4225bf053d7671c  flow lucas-kanade high
    7a91bde2d4b664e029c4c512d912189ee7de5d4b62ad4cff32f71eb1870b2b3f  flow dis veryHigh
    510f2fd4e695cf3585f22ea6829a2edcd4654f3c9c14b4c0e6f03f3ab20c9aa8  flow farneback veryHigh
    26c4504570e55b42f82dfa7127200a72a01f3bd4d19be242b63981fba36c60ef  flow lucas-kanade veryHigh
    02337647dbdafbc8c103c23f52b3400be4ddd3058dee17fdf25d6080944330b7  registration translation direct
    02337647dbdafbc8c103c23f52b3400be4ddd3058dee17fdf25d6080944330b7  registration translation features
    9fcf9bc8e62bf048628e3d07de86366b9941bd47c69b2c511b8dbe183df74b90  registration homography direct
    9fcf9bc8e62bf048628e3d07de86366b9941bd47c69b2c511b8dbe183df74b90  registration homography features
    7e6214efa9ec20ddc26549372ca50ded44d229356137c292527540cdc0d3f9c9  drawing overlay
    9508df451e27dfd5d7704abb0e98c0d69195bb8b3f9b32fc66a3ca3e04202114  drawing flowview
    e4b7e21d43ce2266abec0983eb0c4c9c5646443ffb1ef6e8e47d6918db5b9a77  drawing wheel
    35abf59c82f5370b1c275ab4482a8dc0acb6d5234d58dc246fe8454d19075999  drawing arrows
    170c095c90538b442fe469d1754e66dc7e8bea12f69a8b9d5084f5316ee9679c  drawing magnitude
    8022fe8bfc2863f3d3c02a6f00e4db8292b3af6e698653e2846d4a004350f041  drawing side-by-side
    4c6a40fc9617b5af1803d6de8732f345afe476fc8e1d28a62957958b2884a74c  detection
    """
}
